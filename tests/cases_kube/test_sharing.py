"""Boards shared by several pods at once, by MPS and by time, whole and cut: every slot its part, whatever labels say."""

import pytest

from tests.cases_kube.ground import D, Ground, hours
from tests.fleet import A100, GPU, WHOLE, bill

pytestmark = pytest.mark.django_db
SHARED, ONE = "nvidia_com_gpu_shared", "nvidia_com_mig_1g_5gb"
MPS = {"label_nvidia_com_gpu_sharing_strategy": "mps", "label_nvidia_com_mps_capable": "true", "label_nvidia_com_gpu_count": "1"}
T4 = "Tesla T4"


def labelled(ground: Ground, labels: dict[str, str]) -> Ground:
    return ground.put("kube_node_labels", {"node": "n1", **labels}, 1, WHOLE)


@pytest.mark.parametrize(
    ("resource", "replicas"),
    [
        pytest.param(GPU, "10", id="MPS"),
        pytest.param(SHARED, "10", id="MPS-renamed"),
        pytest.param(SHARED, "4", id="MPS-renamed-labelled-wrongly"),
        pytest.param(GPU, "2", id="MPS-labelled-wrongly"),
    ],
)
def test_clients_of_mps_are_slots_of_the_board(resource: str, replicas: str, tmp_path) -> None:
    """Ten clients on one board that is half busy, three of them held by two pods: 0.1 and 0.2, and the busy half shared out up to that."""
    ground = labelled(Ground().node(**{resource: 10}), MPS | {"label_nvidia_com_gpu_replicas": replicas}).card("GPU-1", "a", busy=0.15)
    ground.bound("a", 1, at=-20, started=-20, resource=resource).bound("b", 2, at=-20, started=-20, resource=resource).collected(tmp_path)
    assert hours("allocated", "used", "unallocated", by="pod") == {"a": (D("0.1"), D("0.05"), 0), "b": (D("0.2"), D("0.1"), 0), "": (0, 0, D("0.7"))}
    assert bill().total.capacity_gpu_hours == 1


@pytest.mark.parametrize(
    ("resource", "labels"),
    [
        pytest.param(ONE, {"label_nvidia_com_mig_1g_5gb_replicas": "2"}, id="mixed"),
        pytest.param(ONE, {"label_nvidia_com_mig_1g_5gb_replicas": "7"}, id="mixed-labelled-wrongly"),
        pytest.param(f"{ONE}_shared", {}, id="mixed-renamed"),
        pytest.param(GPU, {"label_nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED"}, id="single"),
    ],
)
def test_mig_instances_shared_by_time(resource: str, labels: dict[str, str], tmp_path) -> None:
    """Seven instances of one board, each shared by two: fourteen units, one board; a and b are on one instance that is wholly busy."""
    ground = labelled(Ground().node(**{resource: 14}), labels)
    for n in range(7):
        for owner in ("a", "b") if n == 0 else ("",):
            ground.card("GPU-1", owner, busy=1.0 if n == 0 else 0.0, GPU_I_ID=str(n + 7), GPU_I_PROFILE="1g.5gb")
    ground.bound("a", at=-20, started=-20, resource=resource).bound("b", at=-20, started=-20, resource=resource).collected(tmp_path)
    got = {pod: tuple(round(float(figure), 6) for figure in figures) for pod, figures in hours("allocated", "used", by="pod").items()}
    assert got == {"a": (0.071429, 0.071429), "b": (0.071429, 0.071429)}
    assert bill().total.capacity_gpu_hours == 1


def test_two_models_on_a_node_both_shared(tmp_path) -> None:
    """An A100 and a T4 in four slots each: a quarter of the one and two quarters of the other."""
    ground = labelled(Ground().node(**{SHARED: 8}), {"label_nvidia_com_gpu_replicas": "8"})
    ground.card("GPU-1", "a", model=A100, busy=0.2).card("GPU-2", "b", model=T4, busy=0.2)
    ground.bound("a", at=-20, started=-20, resource=SHARED).bound("b", 2, at=-20, started=-20, resource=SHARED).collected(tmp_path)
    held = {(row.keys["pod"], row.keys["gpu_model"]): row.allocated_gpu_hours for row in bill("pod", "gpu_model").rows if row.keys["pod"]}
    assert held == {("a", A100): D("0.25"), ("b", T4): D("0.5")}
    assert bill().total.capacity_gpu_hours == 2
