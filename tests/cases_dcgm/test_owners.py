"""Labels that are missing, wrong, late or stale, and names that come twice: who pays and who used what."""

import pytest

from finops.quality import findings
from finops.scope import Window
from tests.cases_dcgm.scraped import GPU, TEN, WHOLE, Scraped, bill, hours, minutes
from tests.fleet import HOUR

pytestmark = pytest.mark.django_db
OURS = {"pod": "dcgm-exporter-x7k2p", "namespace": "gpu-operator", "container": "exporter"}
FIGURES = ("allocated", "used", "unmeasured", "unallocated")


def kinds() -> list[str]:
    return [doubt.finding.kind for doubt in findings(Window(TEN, TEN + HOUR))]


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(OURS, id="D01"),
        pytest.param({"pod": "", "namespace": "", "container": ""}, id="D02"),
        pytest.param({}, id="D03"),
        pytest.param({"pod": "", "namespace": ""} | {"exported_pod": "", "exported_namespace": ""}, id="D02-exported"),
    ],
)
def test_a_board_no_label_ties_to_a_pod_is_the_only_holders(labels: dict, tmp_path) -> None:
    Scraped().node().hold("ml", "a").card("GPU-1", busy=0.9, **labels).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.9, 0, 0)}
    assert kinds() == ["inferred_device", "unnamed_devices"]
    assert set(hours("allocated", by="namespace")) == {"ml"}


@pytest.mark.parametrize("labels", [pytest.param(OURS, id="D01"), pytest.param({}, id="D05")])
def test_a_board_busy_without_a_request_is_unallocated(labels: dict, tmp_path) -> None:
    """Nobody's work is neither idle nor anybody's; its energy stands beside the unallocated hours."""
    Scraped().node().card("GPU-1", busy=0.8, watts=300, **labels).collected(tmp_path)
    assert hours(*FIGURES) == {"": (0, 0, 0, 1)}
    assert bill().total.idle_gpu_hours == 0
    assert float(bill().total.energy_kwh) == pytest.approx(0.3)


@pytest.mark.parametrize("pods", [pytest.param(2, id="D03-two-holders")])
def test_boards_of_several_unnamed_holders_are_unmeasured(pods: int, tmp_path) -> None:
    fleet = Scraped().node(**{GPU: 2}).card("GPU-1", busy=0.9).card("GPU-2", busy=0.1)
    for n in range(pods):
        fleet.hold("ml", f"p{n}")
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"p0": (1, 0, 1, 0), "p1": (1, 0, 1, 0)}
    assert bill().total.coverage == 0 and bill().total.efficiency is None


@pytest.mark.parametrize(
    "named",
    [
        pytest.param(range(-1200, 8400, 120), id="D04"),  # every other scrape
        pytest.param(minutes(5, 140), id="D14"),  # five minutes late
        pytest.param(minutes(10, 11), id="D04-once"),
    ],
)
def test_a_label_that_comes_and_goes_names_the_whole_lease(named: range, tmp_path) -> None:
    fleet = Scraped().node(**{GPU: 2}).hold("ml", "a").hold("ml", "b").card("GPU-2", "b", busy=0)
    fleet.card("GPU-1", "a", busy=0.75, times=named).card("GPU-1", busy=0.75, times=[t for t in WHOLE if t not in named]).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.75, 0, 0), "b": (1, 0, 0, 0)}
    assert kinds() == []


def test_units_of_a_renamed_resource(tmp_path) -> None:
    """D06, D22: nvidia.com/gpu.shared, 16 slots on two boards, ten of them held; nvidia.com/gpu itself reads 0."""
    fleet = Scraped().node(nvidia_com_gpu=0, nvidia_com_gpu_shared=16).card("GPU-1", busy=0.5).card("GPU-2", busy=0.5)
    fleet.hold("ml", "a", 4, resource="nvidia_com_gpu_shared").hold("ml", "b", 6, resource="nvidia_com_gpu_shared").collected(tmp_path)
    assert hours("allocated", "unallocated") == {"a": (0.5, 0), "b": (0.75, 0), "": (0, 0.75)}
    total = bill().total
    assert (total.capacity_gpu_hours, round(float(total.used_gpu_hours), 6), total.idle_gpu_hours >= 0) == (2, 1.0, True)


def test_a_gpu_asked_for_by_a_native_sidecar(tmp_path) -> None:
    """D07: the request stands in the init containers, and the exporter of the time maps no pod to it."""
    fleet = Scraped().node().hold("ml", "a", container="proxy", init=True).card("GPU-1", busy=0.5)
    who = {"namespace": "ml", "pod": "a", "uid": "uid-a", "container": "proxy"}
    fleet.put("kube_pod_init_container_info", who | {"restart_policy": "Always"}, 1).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.5, 0, 0)}


def test_extra_labels_are_no_part_of_a_device(tmp_path) -> None:
    """D08: pod_uid and pod labels come and go with the exporter's rights; the team is told by kube-state-metrics."""
    fleet = Scraped().node().hold("ml", "a").card("GPU-1", "a", times=minutes(-20, 30), pod_uid="", app="train")
    fleet.card("GPU-1", "a", times=minutes(30, 45), pod_uid="uid-a").card("GPU-1", "a", times=minutes(45, 140)).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (1, 0.5, 0, 0)}


@pytest.mark.parametrize("exporter", [pytest.param({}, id="D11"), pytest.param({"job": "volcano-vgpu-device-plugin"}, id="D13")])
def test_a_finished_pod_lingers_on_its_board(exporter: dict, tmp_path) -> None:
    """Completed at half past ten, named at 0 % until half past eleven, its requests still exported."""
    fleet = Scraped().node().hold("ml", "a", until=1800).card("GPU-1", "a", busy=1.0, times=minutes(-20, 30), **exporter)
    fleet.card("GPU-1", "a", busy=0.0, times=minutes(30, 90), **exporter).collected(tmp_path, hours=(0, 1))
    assert hours("allocated", "used", "idle", "unallocated") == {"a": (0.5, 0.5, 0, 0), "": (0, 0, 0, 0.5)}
    assert hours("allocated", "unallocated", first=1) == {"": (0, 1)}


def test_a_new_owner_is_a_new_series_of_the_same_board(tmp_path) -> None:
    """D12: free until 10:20, a's until 10:40, then b's: three series, one board."""
    fleet = Scraped().node().hold("ml", "a", since=1200, until=2400, times=minutes(20, 140)).hold("ml", "b", since=2400, times=minutes(40, 140))
    fleet.card("GPU-1", busy=0, times=minutes(-20, 20)).card("GPU-1", "a", busy=0.75, times=minutes(20, 40))
    fleet.card("GPU-1", "b", busy=0.25, times=minutes(40, 140)).collected(tmp_path)
    # A sample speaks half a minute back: b's first one, at 10:40, stands from the start of its lease on.
    assert hours("allocated", "unallocated") == {"a": (0.333333, 0), "b": (0.333333, 0), "": (0, 0.333333)}
    assert hours("used", "unmeasured") == {"a": (0.25, 0), "b": (0.083333, 0), "": (0, 0)}
    assert bill().total.capacity_gpu_hours == 1


def test_many_short_pods_on_one_board(tmp_path) -> None:
    """D67: twenty pods of three minutes, each a series of its own."""
    fleet = Scraped().node()
    for n in range(20):
        fleet.hold("ml", f"p{n}", since=180 * n, until=180 * (n + 1), times=minutes(3 * n, 3 * n + 10))
        fleet.card("GPU-1", f"p{n}", busy=0.5, times=minutes(3 * n, 3 * n + 3))
    fleet.collected(tmp_path)
    assert hours("allocated", "used", "unmeasured") == {f"p{n}": (0.05, 0.025, 0) for n in range(20)}


def test_a_pod_name_used_again(tmp_path) -> None:
    """D15: db-0 on one board until 10:20, then another db-0 on the other board: each has its own lease and its own use."""
    fleet = Scraped().node(**{GPU: 2}).hold("ml", "db-0", uid="first", since=-1200, until=1200)
    fleet.hold("ml", "db-0", uid="second", since=1800, times=minutes(30, 140))
    fleet.card("GPU-1", "db-0", busy=0.9, times=minutes(-20, 20)).card("GPU-1", busy=0.0, times=minutes(20, 140))
    fleet.card("GPU-2", busy=0.0, times=minutes(-20, 30)).card("GPU-2", "db-0", busy=0.3, times=minutes(30, 140)).collected(tmp_path)
    # Together 20 min at 0.9 and 30 min at 0.3.
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"db-0": (0.833333, 0.45, 0, 0), "": (0, 0, 0, 1.166667)}


def test_a_late_value_is_the_pods_in_whose_lease_it_was_taken(tmp_path) -> None:
    """D59: b is bound at 10:30:00, and the scrape at that instant still shows a's full load and a's name; a pays no second of it."""
    fleet = Scraped().node().hold("ml", "a", until=1800).hold("ml", "b", since=1800, times=minutes(30, 140))
    fleet.card("GPU-1", "a", busy=1.0, times=minutes(-20, 31)).card("GPU-1", "b", busy=0.0, times=minutes(31, 140)).collected(tmp_path)
    # The late sample speaks for b's first half minute: 1/120 h of 1800 s.
    assert hours("allocated", "used", "unmeasured") == {"a": (0.5, 0.5, 0), "b": (0.5, 0.008333, 0)}
