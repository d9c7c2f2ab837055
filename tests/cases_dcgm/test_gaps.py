"""What is not told: scrapes that fail, families and boards that vanish, boards that are replaced."""

import pytest
from django.db import connection

from finops.quality import findings
from finops.scope import Window
from tests.cases_dcgm.scraped import GPU, TEN, WHOLE, Scraped, bill, hours, minutes
from tests.fleet import A100, HOUR

pytestmark = pytest.mark.django_db
FIGURES = ("allocated", "used", "idle", "unmeasured")
GONE = minutes(20, 40)
EIGHT = [f"GPU-{n}" for n in range(8)]


def there(gone: range) -> list[int]:
    return [t for t in WHOLE if t not in gone]


def kinds() -> list[tuple[str, str]]:
    return [(d.finding.kind, d.finding.subject) for d in findings(Window(TEN, TEN + HOUR))]


def test_twenty_minutes_without_a_sample(tmp_path) -> None:
    """D53 to D56, D65: a failed scrape, an empty answer, a refused one, a restart, a store that took no sample leave one and the same gap.

    Samples at 10:19 and 10:40 speak a minute and a half into it: 18 of the 21 minutes between them are unmeasured.
    """
    Scraped().node().hold("ml", "a").card("GPU-1", "a", busy=0.5, times=there(GONE)).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.35, 0.35, 0.3)}
    assert bill().total.cost == 1 and bill().total.coverage == pytest.approx(0.7)


def test_an_exporter_that_never_shows_a_board(tmp_path) -> None:
    """D54: ready, and not one series. All is paid for, nothing is called idle."""
    Scraped().node(**{GPU: 8}).hold("ml", "a", 4).collected(tmp_path)
    assert hours(*FIGURES, "unallocated") == {"a": (4, 0, 0, 4, 0), "": (0, 0, 0, 0, 4)}


@pytest.mark.parametrize("lost", [1, 2])
def test_an_empty_answer_at_a_reload(lost: int, tmp_path) -> None:
    """D57, page l: one scrape is bridged by its neighbours; two are as well, to the second."""
    fleet = Scraped().node("gpu-a100-01", **{GPU: 3}).hold("team-vision", "resnet-train-0", node="gpu-a100-01")
    reload = minutes(30, 30 + lost)
    fleet.page("a-a100-plain", there(reload)).page("l-empty-reload", reload).collected(tmp_path)
    assert hours("used", "unmeasured")["resnet-train-0"] == (0.962113, 0)


def test_an_engine_that_serves_its_last_values_for_ever(tmp_path) -> None:
    """D58: a value that never moves is taken as measured; so is the power that never moves beside it."""
    Scraped().node().hold("ml", "a").card("GPU-1", "a", busy=0.97, watts=241.55).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.97, 0.03, 0)}


@pytest.mark.parametrize("family", [pytest.param("DCGM_FI_PROF_GR_ENGINE_ACTIVE", id="D52-profiling"), pytest.param("DCGM_FI_DEV_GPU_UTIL", id="D52-util")])
def test_one_boards_family_is_missing(family: str, tmp_path) -> None:
    """Two boards have both families, the third only the other one: each by what it has."""
    fleet = Scraped().node(**{GPU: 3}).hold("ml", "a", 3)
    for n in range(3):
        labels = {"UUID": f"GPU-{n}", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
        for name, value in (("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.5), ("DCGM_FI_DEV_GPU_UTIL", 80)):
            if n < 2 or name != family:
                fleet.put(name, labels, value)
    fleet.collected(tmp_path)
    assert hours("used", "unmeasured") == {"a": (1.8 if "PROF" in family else 1.5, 0)}


def test_a_board_that_tells_its_memory_alone(tmp_path) -> None:
    """D52: both families of b's board are missing. It is unmeasured, and the idle board beside it is not taken for its own."""
    fleet = Scraped().node(**{GPU: 3}).hold("ml", "a").hold("ml", "b").card("GPU-1", "a", busy=0.5).card("GPU-3", busy=0.0)
    for uuid, owner in (("GPU-1", "a"), ("GPU-2", "b"), ("GPU-3", "")):
        named = {"exported_pod": owner, "exported_namespace": "ml"} if owner else {}
        fleet.put("DCGM_FI_DEV_FB_USED", {"UUID": uuid, "Hostname": "n1", "modelName": A100} | named, 1000)
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.5, 0.5, 0), "b": (1, 0, 0, 1), "": (0, 0, 0, 0)}
    assert kinds() == [("no_measurement", "uid-b nvidia_com_gpu")]


def test_a_board_off_the_bus(tmp_path) -> None:
    """D68: seven of a's eight boards go on, the eighth ends at half past; it is paid for and unmeasured."""
    fleet = Scraped().node(**{GPU: 8}).hold("ml", "a", 8)
    for uuid in EIGHT:
        fleet.card(uuid, "a", busy=1.0, times=minutes(-20, 30) if uuid == "GPU-7" else WHOLE)
    fleet.collected(tmp_path)
    # Its last sample, at 10:29, speaks until 10:30:30: 29.5 min are unmeasured.
    assert hours(*FIGURES) == {"a": (8, 7.508333, 0, 0.491667)}
    assert bill().total.cost == 8


def replaced(fleet: Scraped, owner: str, **place: str) -> Scraped:
    """GPU-0 at a half is last seen at 10:29, GPU-x at full at 10:30: 29.5 and 30.5 minutes."""
    fleet.card("GPU-0", owner, busy=0.5, times=minutes(-20, 30), **place)
    return fleet.card("GPU-x", owner, busy=1.0, times=minutes(30, 140), **place)


@pytest.mark.parametrize("owner", ["a", pytest.param("", id="unlabelled")])
def test_a_board_is_replaced(owner: str, tmp_path) -> None:
    """D69: eight boards before and after, nine UUIDs. Seven at 1 and the eighth at (29.5 x 0.5 + 30.5) / 60."""
    fleet = replaced(Scraped().node(**{GPU: 8}).hold("ml", "a", 8), owner, pci_bus_id="00000000:07:00.0")
    for n, uuid in enumerate(EIGHT[1:]):
        fleet.card(uuid, owner, busy=1.0, pci_bus_id=f"00000000:1{n}:00.0")
    fleet.collected(tmp_path)
    # Without labels there are nine boards to choose from and eight lacking: nothing is guessed.
    assert hours(*FIGURES) == {"a": (8, 7.754167, 0.245833, 0) if owner else (8, 0, 0, 8)}
    assert bill().total.capacity_gpu_hours == 8


def test_a_board_cut_into_slots_is_replaced(tmp_path) -> None:
    """D69: four slots stay four slots of one board."""
    fleet = Scraped().node(**{GPU: 4}).hold("ml", "a").hold("ml", "b", 2)
    fleet.put("kube_node_labels", {"node": "n1", "label_nvidia_com_gpu_replicas": "4"}, 1)
    replaced(fleet, "", pci_bus_id="00000000:07:00.0").collected(tmp_path)
    # Shared out as one slot is to two, no more than each holds: a has 29.5 min of 1/6 and 30.5 of 1/4, b twice as much.
    assert hours(*FIGURES) == {"a": (0.25, 0.209028, 0.040972, 0), "b": (0.5, 0.418056, 0.081944, 0), "": (0, 0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


def test_a_cut_board_is_replaced(tmp_path) -> None:
    """D69: two instances, and two on the board that took its slot: one board."""
    resource = "nvidia_com_mig_3g_20gb"
    fleet = Scraped().node(**{resource: 2}).hold("ml", "a", resource=resource)
    replaced(fleet, "a", pci_bus_id="00000000:07:00.0", GPU_I_ID="1", GPU_I_PROFILE="3g.20gb").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0.323214, 0.105357, 0), "": (0, 0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


def test_an_unhealthy_board_is_paid_for(tmp_path) -> None:
    """D70: allocatable falls to seven, capacity stays eight; a pod on the unhealthy one runs on."""
    fleet = Scraped().node(**{GPU: 8}).hold("ml", "a", 8)
    fleet.put("kube_node_status_allocatable", {"node": "n1", "resource": GPU, "unit": "integer"}, 7)
    for uuid in EIGHT:
        fleet.card(uuid, "a", busy=1.0)
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (8, 8, 0, 0)}
    assert bill().total.cost == 8 and kinds() == [("unhealthy_gpus", "n1")]


def test_a_gap_does_not_touch_the_lease(tmp_path) -> None:
    """D53: nothing of the node is scraped for twenty minutes, kube-state-metrics included."""
    times = there(GONE)
    fleet = Scraped().node(times=times).hold("ml", "a", times=times).card("GPU-1", "a", busy=0.5, times=times)
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.35, 0.35, 0.3)}
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from lease")
        assert cursor.fetchone() == (1,)
