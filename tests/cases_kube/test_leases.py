"""When a pod holds GPUs, whatever kube-state-metrics shows before, after or beside it."""

import pytest

from finops.models import Cluster
from tests.cases_kube.ground import D, Ground, hours, thirds
from tests.fleet import GPU, minutes

WHO = {"namespace": "ml", "pod": "a", "uid": "uid-a"}
pytestmark = pytest.mark.django_db


def ended(ground: Ground, *, phase: str, bound: float, over: float, completed: float | None) -> Ground:
    """Pod `a`, Running until `over`, then in that phase for the rest of the time with its requests still there."""
    ground.bound("a", at=bound, started=bound, times=minutes(bound, 140))
    ground.phase("a", "Running", minutes(bound, over)).phase("a", phase, minutes(over, 140))
    if completed is not None:
        ground.told("kube_pod_completion_time", completed, WHO, minutes(over, 140))
    return ground


@pytest.mark.parametrize("phase", [pytest.param("Succeeded", id="A1"), pytest.param("Failed", id="A1-failed")])
def test_a_finished_pod_whose_requests_linger(phase: str, tmp_path) -> None:
    ended(Ground().node(), phase=phase, bound=0, over=20, completed=19.5).collected(tmp_path, hours=(0, 1))
    assert hours() == {"ml": thirds(19.5)}
    assert hours(first=1) == {}


@pytest.mark.parametrize("row", ["A2"])
def test_more_requested_than_there_is(row: str, tmp_path) -> None:
    """Eight GPUs held by one pod, sixteen more requested by two that are done: nothing is scaled."""
    ground = Ground().node(nvidia_com_gpu=8).bound("a", 8, at=-20, started=-20)
    for name in ("b", "c"):
        ground.bound(name, 8, space="done", at=-900, started=-900).phase(name, "Succeeded", minutes(-20, 140), space="done")
        ground.told("kube_pod_completion_time", -600, {"namespace": "done", "pod": name, "uid": f"uid-{name}"})
    ground.collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (8, 0)}


@pytest.mark.parametrize("row", ["A3"])
def test_a_status_of_zero_is_no_status(row: str, tmp_path) -> None:
    """Every phase has a row; the rows that are 0 neither end the pod nor start it."""
    ground = Ground().node().bound("a", at=0, times=minutes(0, 140)).phase("a", "Pending", minutes(0, 140))
    ground.put("kube_pod_container_status_restarts_total", WHO | {"container": "main"}, 0, minutes(0, 140))
    ground.collected(tmp_path)
    assert hours("allocated", "starting") == {"ml": (1, 1)}


@pytest.mark.parametrize("row", ["A4"])
def test_thousands_of_pods_that_a_kubelet_refused(row: str, tmp_path) -> None:
    """A lost GPU: three pods run on four cards, a thousand were refused within the hour. Refused pods held nothing."""
    ground = Ground().node(nvidia_com_gpu=4)
    for n in range(3):
        ground.bound(f"run-{n}", at=-20, started=-20)
    for n in range(1000):
        ground.bound(f"no-{n}", space="refused", at=n / 20, times=[60 * (n // 20 + 1)]).phase(f"no-{n}", "Failed", [60 * (n // 20 + 1)], space="refused")
    ground.collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (3, 0), "": (0, 1)}


@pytest.mark.parametrize("row", ["A5"])
def test_a_kubelet_restart_turns_success_into_failure(row: str, tmp_path) -> None:
    """Succeeded at 10:19:30; from 10:40 on Failed, without container statuses and so without a completion time."""
    ground = Ground().node().bound("a", at=0, started=0, times=minutes(0, 140))
    ground.phase("a", "Running", minutes(0, 20)).phase("a", "Succeeded", minutes(20, 40)).phase("a", "Failed", minutes(40, 140))
    ground.told("kube_pod_completion_time", 19.5, WHO, minutes(20, 40)).collected(tmp_path, hours=(0, 1))
    assert hours() == {"ml": thirds(19.5)}
    assert hours(first=1) == {}


@pytest.mark.parametrize("row", ["A6"])
def test_a_node_that_is_lost_keeps_its_pod(row: str, tmp_path) -> None:
    """The exporter falls silent at half past; the pod stays Running with a deletion time until its node leaves at 11:30."""
    ground = Ground().node(times=minutes(-20, 90)).bound("a", at=-20, started=-20, times=minutes(-20, 90)).phase("a", "Running", minutes(-20, 90))
    ground.told("kube_pod_deletion_timestamp", 35, WHO, minutes(34, 90)).card("GPU-1", "a", busy=1.0, times=minutes(-20, 30))
    ground.collected(tmp_path, hours=(0, 1))
    # The last sample, at 10:29, speaks for one and a half minutes; the last sighting, at 11:29, for half a minute.
    assert hours("allocated", "used", "unmeasured") == {"ml": (1, *thirds(30.5, 29.5))}
    assert hours("allocated", "used", "unmeasured", first=1) == {"ml": thirds(29.5, 0, 29.5)}
    assert hours("unallocated", first=1) == {}


@pytest.mark.parametrize("row", ["E1"])
def test_a_pod_deleted_between_two_scrapes(row: str, tmp_path) -> None:
    Ground().node().bound("a", at=0, started=0, times=minutes(0, 20)).phase("a", "Running", minutes(0, 20)).collected(tmp_path)
    assert hours() == {"ml": thirds(19.5)}


@pytest.mark.parametrize(("phase", "completed", "right"), [
    pytest.param("Succeeded", 0.75, {"ml": (*thirds(0.5), 0)}, id="E3"),
    pytest.param("Failed", None, {}, id="E3-refused"),
])  # fmt: skip
def test_a_container_that_was_over_before_it_was_seen(phase: str, completed: float | None, right: dict, tmp_path) -> None:
    """Bound at 10:00:15 and done by the first scrape that saw it; no container tells when it started."""
    ground = Ground().node().bound("a", at=0.25, times=minutes(1, 140)).phase("a", phase, minutes(1, 140))
    if completed is not None:
        ground.told("kube_pod_completion_time", completed, WHO, minutes(1, 140))
    ground.collected(tmp_path)
    assert hours("allocated", "starting") == right


@pytest.mark.parametrize("row", ["E2"])
def test_a_job_shorter_than_a_scrape(row: str, tmp_path) -> None:
    """One that a single scrape saw holds to half an interval after it, the other left no series: its time is nobody's, and the hour adds up."""
    Ground().node().bound("seen", at=9.75, started=9.75, times=minutes(10, 11)).collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"seen": (*thirds(0.75), 0), "": (0, *thirds(59.25))}


def test_the_last_container_ends_the_pod_not_the_first(tmp_path) -> None:
    """kube_pod_completion_time is there while other containers still run, and moves."""
    ground = Ground().node().bound("a", at=0, started=0, times=minutes(0, 140)).phase("a", "Running", minutes(0, 50))
    ground.phase("a", "Succeeded", minutes(50, 140))
    ground.told("kube_pod_completion_time", 9.5, WHO, minutes(10, 50)).told("kube_pod_completion_time", 49.5, WHO, minutes(50, 140))
    ground.collected(tmp_path)
    assert hours() == {"ml": thirds(49.5)}


@pytest.mark.parametrize(("told", "starting"), [
    pytest.param("sidecar", 60, id="sidecar"),
    pytest.param("running", 25, id="running"),
    pytest.param("restart", 0, id="restart"),
    pytest.param("device", 60, id="device"),
    pytest.param("gpu sidecar", 25, id="gpu-sidecar"),
])  # fmt: skip
def test_what_proves_a_start(told: str, starting: int, tmp_path) -> None:
    """A container beside the one with the GPU does not, nor does a device's label; phase Running does, and so does a restart."""
    ground = Ground().node().bound("a", at=0, times=minutes(0, 140), kind="init_container" if told == "gpu sidecar" else "container")
    ground.put("kube_pod_init_container_info", WHO | {"container": "main", "restart_policy": "Always" if told == "gpu sidecar" else ""}, 1)
    if told == "sidecar":
        ground.told("kube_pod_container_state_started", 5, WHO | {"container": "proxy"}, minutes(5, 140))
    elif told in ("running", "gpu sidecar"):
        ground.phase("a", "Pending", minutes(0, 25)).phase("a", "Running", minutes(25, 140))
    elif told == "restart":
        ground.put("kube_pod_container_status_restarts_total", WHO | {"container": "main"}, 3, minutes(0, 140))
    else:
        ground.card("GPU-1", "a", busy=0.9)
    ground.collected(tmp_path)
    assert hours("allocated", "starting") == {"ml": (1, *thirds(starting))}


@pytest.mark.parametrize("row", ["G1"])
def test_a_pod_held_back_by_kueue_holds_nothing(row: str, tmp_path) -> None:
    """Gated pods and unschedulable ones alike have no node."""
    ground = Ground().node().bound("a", node="", times=minutes(-20, 140)).phase("a", "Pending", minutes(-20, 140))
    ground.put("kube_pod_status_reason", WHO | {"reason": "SchedulingGated"}, 1).collected(tmp_path)
    assert hours("allocated", "unallocated") == {"": (0, 1)}


@pytest.mark.parametrize("row", ["H4"])
def test_half_a_gang_pays_for_the_half_that_is_bound(row: str, tmp_path) -> None:
    ground = Ground().node(nvidia_com_gpu=8).bound("master", 4, at=0, times=minutes(0, 140)).bound("worker", 4, node="", times=minutes(0, 140))
    ground.phase("master", "Pending", minutes(0, 140)).phase("worker", "Pending", minutes(0, 140)).collected(tmp_path)
    assert hours("allocated", "starting", "unallocated") == {"ml": (4, 4, 0), "": (0, 0, 4)}


@pytest.mark.parametrize(("containers", "right"), [
    pytest.param([("main", 2, "")], 2, id="F1-plain"),
    pytest.param([("main", 2, ""), ("helper", 1, "Always")], 3, id="F1"),
    pytest.param([("main", 2, ""), ("prepare", 4, "Never")], 4, id="F1-init"),
    pytest.param([("main", 2, ""), ("prepare", 1, "Never")], 2, id="F1-small-init"),
    pytest.param([("main", 2, ""), ("second", 1, ""), ("prepare", 1, "Never"), ("helper", 1, "Always")], 4, id="F1-all"),
])  # fmt: skip
def test_what_the_scheduler_reserves(containers: list, right: int, tmp_path) -> None:
    """(name, GPUs, restart policy of an init container): containers and native sidecars together, or the largest other init container."""
    ground = Ground().node(nvidia_com_gpu=8)
    for name, gpus, policy in containers:
        ground.bound("a", gpus, at=-20, started=-20, container=name, kind="init_container" if policy else "container")
        if policy:
            ground.put("kube_pod_init_container_info", WHO | {"container": name, "restart_policy": "Always" if policy == "Always" else ""}, 1)
    ground.collected(tmp_path)
    assert hours() == {"ml": (right,)}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_end_that_nobody_told_is_cut_at_the_devices_next_lease(order: tuple[int, ...], tmp_path) -> None:
    """Scrapes every five minutes; a is last seen at 10:25, b is bound to its GPU at 10:26 while the other GPU is free: 26 and 34 minutes."""
    Cluster.objects.create(name="lab", source={}, scrape_interval=300)
    every = lambda first, after: range(first * 60, after * 60, 300)  # noqa: E731
    ground = Ground().node(times=every(-20, 140), **{GPU: 2}).bound("a", at=-20, started=-20, times=every(-20, 30))
    ground.bound("b", at=26, started=26, times=every(30, 140))
    ground.card("GPU-1", "a", busy=1.0, times=every(-20, 30)).card("GPU-1", "b", busy=1.0, times=every(30, 140)).card("GPU-2", busy=0.0, times=every(-20, 140))
    ground.collected(tmp_path, hours=order)
    assert hours("allocated", "unmeasured", "unallocated", by="pod") == {
        "a": (D("0.4333333333"), 0, 0), "b": (D("0.5666666667"), 0, 0), "": (0, 0, 1)
    }  # fmt: skip
