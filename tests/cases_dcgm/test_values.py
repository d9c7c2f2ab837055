"""Which values are measurements, and which measurement counts."""

import pytest
from django.db import connection

from finops.quality import findings
from finops.scope import Window
from ingest.catalogue import NAMES
from tests.cases_dcgm.scraped import GPU, TEN, WHOLE, Scraped, bill, hours, minutes, sources
from tests.fleet import A100, HOUR

pytestmark = pytest.mark.django_db
BOARD = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
PROFILING, UTIL = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
FIGURES = ("allocated", "used", "unmeasured")


def one() -> Scraped:
    return Scraped().node().hold("ml", "a")


def kinds() -> list[tuple[str, str]]:
    return [(d.finding.kind, d.finding.subject) for d in findings(Window(TEN, TEN + HOUR))]


def test_a_page_of_horrors(tmp_path) -> None:
    """Page f: one pod on each of nine boards and on an instance of a tenth whose profile is blank."""
    fleet = Scraped().node("gpu-odd-01", **{GPU: 9, "nvidia_com_mig_3g_20gb": 2}).page("f-sentinels")
    for n in (0, 1, 2, 3, 4, 5, 7, 9):
        fleet.hold("team-x", f"probe-{n}", node="gpu-odd-01")
    fleet.hold("team-x", "after-xid31-0", node="gpu-odd-01").hold("team-x", "probe-6", node="gpu-odd-01", resource="nvidia_com_mig_3g_20gb")
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {
        "probe-0": (1, 0.33187, 0),
        "probe-1": (1, 0, 1),  # blanks of int64 and double
        "probe-2": (1, 0, 1),  # blanks of int32 and double
        "probe-3": (1, 0, 0),  # -0.0 is a zero; 2^32-1 beside it is nothing
        "probe-4": (1, 1, 0),  # 1.0129 is rounding; 103 beside it is nothing
        "probe-5": (1, 0, 1),  # infinity and 2^64-2
        "probe-6": (0.428571, 0.214286, 0),  # half of 3/7: the size is what the pod asked for
        "probe-7": (1, 0.0042, 0),  # 0.42 %: other boards of the source show whole per cents
        "after-xid31-0": (1, 1, 0),  # profiling frozen at 0 beside 100 %
        "probe-9": (1, 0.214003, 0),  # 2619 % beside it is nothing
        "": (0, 0, 0),
    }
    doubtful = {subject.split("-")[1]: kind for kind, subject in kinds() if subject.startswith("GPU-")}
    assert doubtful == {"5f00a910": "rejected_samples", "a424f235": "rejected_samples", "0cf7ba26": "rejected_samples", "512a79cf": "frozen_profiling"}


@pytest.mark.parametrize("value", [1980, 2619, 686103, 808334905, 4294967295, 103, -1])
def test_one_mad_sample_is_dropped(value: float, tmp_path) -> None:
    """D36: 97 and 97 around it speak for its time; the hour is whole, and one odd sample is no finding."""
    fleet = one().put(UTIL, BOARD, 97, [t for t in WHOLE if t != 1800]).put(UTIL, BOARD, value, [1800])
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.97, 0)}
    assert kinds() == []


BLANKS = [2147483632, 2147483635, 9223372036854775792, 9223372036854775794, 140737488355328, 140737488355331, 18446744073709551614, float("nan"), float("inf")]


@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_marker_is_no_value(blank: float, tmp_path) -> None:
    """D37: in GPU_UTIL, in profiling, in memory, in power. Half an hour of it is half an hour unmeasured."""
    fleet = one()
    for name, value in ((UTIL, 40), (PROFILING, 0.4), ("DCGM_FI_DEV_FB_USED", 1000), ("DCGM_FI_DEV_POWER_USAGE", 200)):
        fleet.put(name, BOARD, value, minutes(-20, 30))
        fleet.series(name, BOARD, float(blank), minutes(30, 140))
    fleet.collected(tmp_path)
    # The sample of 10:29 is the last and speaks for a minute and a half: until 10:30:30.
    assert hours("used", "idle", "unmeasured") == {"a": (0.203333, 0.305, 0.491667)}
    assert kinds() == [("rejected_samples", "GPU-1")]
    with connection.cursor() as cursor:
        cursor.execute("select memory_max_mib, energy_joules from use_quarter order by quarter")
        assert cursor.fetchall() == [(1000, 180000)] * 2 + [(None, None)] * 2


def test_energy_is_power_by_time(tmp_path) -> None:
    """D38: the energy counter falls in the middle of the hour; nothing reads it."""
    fleet = one().put(PROFILING, BOARD, 0.5).put("DCGM_FI_DEV_POWER_USAGE", BOARD, 300)
    counter = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
    fleet.put(counter, BOARD, 9e12, minutes(-20, 30)).put(counter, BOARD, 21, minutes(30, 140)).collected(tmp_path)
    assert float(bill().total.energy_kwh) == pytest.approx(0.3)


def test_names_that_look_like_use_and_are_not_read() -> None:
    """D38 the energy counter, D39 memory traffic, D40 free memory, D43 a per cent called bytes."""
    assert NAMES.isdisjoint({"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_FB_FREE", "accelerator_memory_used_bytes"})


@pytest.mark.parametrize("name", ["DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_FB_FREE", "accelerator_memory_used_bytes", "DCGM_FI_PROF_SM_ACTIVE"])
def test_nothing_else_stands_in_for_use(name: str, tmp_path) -> None:
    """D39, D40, D43: without profiling and GPU_UTIL a board is unmeasured, whatever else it tells."""
    one().put(name, BOARD, 0.9).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0, 1)}


@pytest.mark.parametrize("kind", ["counter", "gauge", "untyped"])
def test_the_unit_is_the_names(kind: str, tmp_path) -> None:
    """D41: declared type and help text say what they like."""
    fleet = one()
    fleet.lines += [f"# HELP {PROFILING} in %", f"# TYPE {PROFILING} {kind}", f"# TYPE {UTIL} {kind}"]
    fleet.put(PROFILING, BOARD, 0.3, minutes(-20, 30)).put(UTIL, BOARD, 60, minutes(30, 140)).collected(tmp_path)
    # Profiling's last sample at 10:29 is answered by GPU_UTIL's first beyond its reach, at 10:31: the middle is 10:30.
    assert hours(*FIGURES) == {"a": (1, 0.45, 0)}


@pytest.mark.parametrize(
    ("values", "right"),
    [
        pytest.param((0.42, 0.97, 1), (1, 0, 1), id="D42"),  # divided by 100 on the way: no per cent, and no guess
        pytest.param((0, 1, 0), (1, 0.003333, 0), id="D42-undecided"),  # whole: 1 % in a third of the samples
        pytest.param((42, 97, 100), (1, 0.796667, 0), id="per-cent"),
    ],
)
def test_gpu_util_that_was_rescaled(values: tuple, right: tuple, tmp_path) -> None:
    fleet = one()
    for n, value in enumerate(values):
        fleet.put(UTIL, BOARD, value, WHOLE[n::3])
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": right}
    assert kinds() == ([("rejected_samples", "GPU-1")] if right[2] else [])


@pytest.mark.parametrize("value", [pytest.param(7000, id="D37-small"), pytest.param(-1, id="D37-below")])
def test_a_stray_power_is_no_power(value: float, tmp_path) -> None:
    """D37: one sample of 7,000 W among fourteen of 300 W is a mean of 746 W, which looks like one: the quarter's energy is unknown."""
    fleet = one().put(PROFILING, BOARD, 0.5).put("DCGM_FI_DEV_POWER_USAGE", BOARD, 300, [t for t in WHOLE if t != 1200])
    fleet.put("DCGM_FI_DEV_POWER_USAGE", BOARD, value, [1200]).collected(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("select energy_joules from use_quarter order by quarter")
        assert [joules for (joules,) in cursor.fetchall()] == [270_000, None, 270_000, 270_000]


@pytest.mark.parametrize("level", [31, 79])
def test_the_last_xid_stays_and_is_no_event(level: float, tmp_path) -> None:
    """D44: an old error code shown for weeks changes nothing; a change is one event and costs nothing."""
    one().put(PROFILING, BOARD, 0.5).put("DCGM_FI_DEV_XID_ERRORS", BOARD, level).collected(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("select sum(xid_changes) from use_quarter")
        assert cursor.fetchone() == (0,)
    assert hours(*FIGURES) == {"a": (1, 0.5, 0)}


@pytest.mark.parametrize("util", [pytest.param(100, id="D45"), pytest.param(20, id="D45-twenty"), pytest.param(19, id="below")])
def test_profiling_frozen_at_zero(util: float, tmp_path) -> None:
    one().put(PROFILING, BOARD, 0.0).put(UTIL, BOARD, util).collected(tmp_path)
    frozen = util >= 20
    assert hours(*FIGURES) == {"a": (1, util / 100 if frozen else 0, 0)}
    assert kinds() == ([("frozen_profiling", "GPU-1")] if frozen else [])
    assert sources() == {"gpu_util+frozen" if frozen else "gr_engine"}


def test_profiling_frozen_for_a_part_of_the_hour(tmp_path) -> None:
    """D45: 30 min at 0.9 by profiling, then zeros beside 80 %; from 10:29:30 on GPU_UTIL counts: 0.9 and 0.8."""
    fleet = one().put(PROFILING, BOARD, 0.9, minutes(-20, 30)).put(PROFILING, BOARD, 0.0, minutes(30, 140)).put(UTIL, BOARD, 80)
    fleet.collected(tmp_path)
    # GPU_UTIL's samples of 10:30 lie within reach of 10:29's profiling and are left out: the middle to 10:31 is 10:30.
    assert hours(*FIGURES) == {"a": (1, 0.85, 0)}
    assert kinds() == [("frozen_profiling", "GPU-1")]


@pytest.mark.parametrize(
    ("gone", "used"),
    [
        pytest.param(minutes(30, 140), 0.65, id="D46"),  # 30 min at 0.5, 30 at 0.8
        # Samples of GPU_UTIL nearer than a minute and a half to profiling are left out: 41 min at 0.5, 19 at 0.8.
        pytest.param(minutes(10, 30), 0.595, id="D50"),
    ],
)
def test_profiling_ends_and_gpu_util_goes_on(gone: range, used: float, tmp_path) -> None:
    one().put(PROFILING, BOARD, 0.5, [t for t in WHOLE if t not in gone]).put(UTIL, BOARD, 80).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, used, 0)}
    assert sources() == {"mixed"}


def test_a_restarted_profiling_that_ramps_up_is_taken_as_it_is(tmp_path) -> None:
    """D47: an instance that reads 0.117 after idle hours and is really busy cannot be told from one that is not."""
    one().put(PROFILING, BOARD, 0.117).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.117, 0)}


@pytest.mark.parametrize("model", [pytest.param("Quadro RTX 6000", id="D48"), pytest.param("GRID T4-4Q", id="D51")])
def test_a_board_without_profiling(model: str, tmp_path) -> None:
    one().put(UTIL, BOARD | {"modelName": model}, 37).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.37, 0)}
    assert sources() == {"gpu_util"}


def test_each_board_by_the_best_it_has(tmp_path) -> None:
    """D49: an A30 with profiling beside an RTX without, on one node."""
    fleet = Scraped().node(**{GPU: 2}).hold("ml", "a").hold("ml", "b")
    fleet.put(PROFILING, BOARD | {"modelName": "NVIDIA A30"}, 0.3).put(UTIL, BOARD | {"modelName": "NVIDIA A30"}, 90)
    fleet.put(UTIL, BOARD | {"UUID": "GPU-2", "modelName": "NVIDIA RTX A4000", "exported_pod": "b"}, 90).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.3, 0), "b": (1, 0.9, 0)}
    assert sources() == {"gr_engine", "gpu_util"}


@pytest.mark.parametrize("value", [pytest.param(1.64, id="D33"), pytest.param(140737488355330.0, id="D33-blank"), pytest.param(-0.1, id="D33-below")])
def test_sm_active_beyond_its_range_is_unknown(value: float, tmp_path) -> None:
    """For a quarter of an hour, by a single sample of it, however small a part of the mean it is; use does not hang on it."""
    fleet, bad = one().put(PROFILING, BOARD, 0.5), [1200]
    fleet.put("DCGM_FI_PROF_SM_ACTIVE", BOARD, 0.2, [t for t in WHOLE if t not in bad])
    fleet.put("DCGM_FI_PROF_SM_ACTIVE", BOARD, value, bad).collected(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("select round(sm_active::numeric, 6)::float from use_quarter order by quarter")
        assert [value for (value,) in cursor.fetchall()] == [0.2, None, 0.2, 0.2]
    assert hours(*FIGURES) == {"a": (1, 0.5, 0)}
