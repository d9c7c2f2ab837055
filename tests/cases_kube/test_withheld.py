"""What a node has and no pod can get: unhealthy GPUs, and slices that belong to no MIG instance."""

import pytest

from finops.models import Rate
from finops.quality import findings
from finops.scope import Window
from tests.cases_kube.ground import D, Ground, hours
from tests.fleet import GPU, HOUR, TEN, WHOLE, bill, minutes

pytestmark = pytest.mark.django_db
THREE, ONE, TWO = "nvidia_com_mig_3g_20gb", "nvidia_com_mig_1g_5gb", "nvidia_com_mig_2g_10gb"


def found(kind: str) -> list[tuple[str, str]]:
    """(message, GPU-hours)."""
    told = (doubt.finding for doubt in findings(Window(TEN, TEN + HOUR)))
    return [(finding.message, finding.evidence["gpu_hours"]) for finding in told if finding.kind == kind]


def allocatable(ground: Ground, units: int, times=WHOLE, resource: str = GPU) -> Ground:
    return ground.put("kube_node_status_allocatable", {"node": "n1", "resource": resource, "unit": "integer"}, units, times)


def cut(ground: Ground, **instances: int) -> Ground:
    """The instances of one board, by profile, as the exporter shows them."""
    sizes = [profile.replace("_", ".") for profile, count in instances.items() for _ in range(count)]
    for n, profile in enumerate(sizes):
        ground.card("GPU-1", busy=0.0, GPU_I_ID=str(n + 1), GPU_I_PROFILE=profile)
    return ground


def test_an_unhealthy_board_is_paid_for_and_told(tmp_path) -> None:
    """Eight boards at 2, one of them not allocatable from 10:15 on: 0.75 GPU-hours nobody could have held."""
    Rate.objects.create(price="2", currency="CHF")
    ground = Ground().node(**{GPU: 8}).bound("a", 7, at=-20, started=-20)
    allocatable(allocatable(ground, 8, minutes(-20, 15)), 7, minutes(15, 140)).collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (7, 0), "": (0, 1)}
    assert bill().total.cost == 16
    assert found("unhealthy_gpus") == [
        ("0.75 GPUs of n1 (mean of the hour) are in its capacity and not allocatable: paid for, and no new pod gets them; see its device plugin's log", "0.75")
    ]


def test_a_device_plugin_that_restarts_is_no_unhealthy_gpu(tmp_path) -> None:
    """Four minutes without any allocatable GPU, eight times over."""
    ground = Ground().node(**{GPU: 8})
    allocatable(allocatable(allocatable(ground, 8, minutes(-20, 30)), 0, minutes(30, 34)), 8, minutes(34, 140)).collected(tmp_path)
    assert found("unhealthy_gpus") == []


def test_an_unhealthy_slice_is_its_part_of_a_board(tmp_path) -> None:
    ground = cut(Ground().node(**{ONE: 7}), **{"1g_5gb": 7})
    allocatable(ground, 6, resource=ONE).collected(tmp_path)
    assert [figure for _, figure in found("unhealthy_gpus")] == ["0.142857"]


def test_an_unhealthy_gpu_of_another_maker_is_told_too(tmp_path) -> None:
    allocatable(Ground().node(amd_com_gpu=8), 6, resource="amd_com_gpu").collected(tmp_path)
    assert [figure for _, figure in found("unhealthy_gpus")] == ["2.0"]


@pytest.mark.parametrize(
    ("capacity", "instances", "product", "right"),
    [
        pytest.param({THREE: 2}, {"3g_20gb": 2}, "NVIDIA-A100-SXM4-40GB", "0.142857", id="mixed-twice-3g"),
        pytest.param({THREE: 1, TWO: 1, ONE: 2}, {"3g_20gb": 1, "2g_10gb": 1, "1g_5gb": 2}, "NVIDIA-A100-SXM4-40GB", None, id="mixed-all-seven"),
        pytest.param({GPU: 2}, {"3g_20gb": 2}, "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", "0.142857", id="single-twice-3g"),
        pytest.param({GPU: 7}, {"1g_5gb": 7}, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", None, id="single-seven"),
        pytest.param({GPU: 1, TWO: 3}, {"2g_10gb": 3}, "NVIDIA-A100-SXM4-40GB", "0.142857", id="plain-counts-the-cut-board"),
    ],
)
def test_slices_of_no_instance_are_stranded(capacity: dict, instances: dict, product: str, right: str | None, tmp_path) -> None:
    """A board of seven slices: what its instances leave is a part of what nobody holds, and told."""
    ground = cut(Ground().node(**capacity), **instances).put("kube_node_labels", {"node": "n1", "label_nvidia_com_gpu_product": product}, 1)
    ground.collected(tmp_path)
    assert [figure for _, figure in found("stranded_slices")] == ([right] if right else [])
    assert bill().total.unallocated_gpu_hours == 1


def test_a_board_cut_anew_within_the_hour_is_stranded_for_its_time(tmp_path) -> None:
    """Twice 3g until 10:30, seven times 1g from then on: a seventh for half an hour."""
    ground = Ground().node(times=minutes(-20, 30), **{THREE: 2}).node(times=minutes(30, 140), **{ONE: 7}).collected(tmp_path)
    assert ground.name == "lab"
    assert [figure for _, figure in found("stranded_slices")] == ["0.071429"]


@pytest.mark.parametrize(
    ("model", "resource", "units", "share", "stranded"),
    [
        pytest.param("NVIDIA A30", "nvidia_com_mig_1g_6gb", 4, D("0.25"), None, id="four-slices"),
        pytest.param("NVIDIA A30", "nvidia_com_mig_2g_12gb", 1, D("0.5"), "0.5", id="four-slices-half-cut"),
        pytest.param("NVIDIA RTX PRO 5000 Blackwell", "nvidia_com_mig_1g_24gb", 2, D("0.5"), None, id="two-slices"),
        pytest.param("NVIDIA H100 80GB HBM3", "nvidia_com_mig_7g_80gb", 1, D("1"), None, id="seven-slices-in-one"),
    ],
)
def test_boards_of_four_and_two_slices(model: str, resource: str, units: int, share: D, stranded: str | None, tmp_path) -> None:
    ground = Ground().node(**{resource: units}).bound("a", at=-20, started=-20, resource=resource)
    profile = resource.removeprefix("nvidia_com_mig_").replace("_", ".")
    for n in range(units):
        ground.card("GPU-1", "" if n else "a", model=model, GPU_I_ID=str(n + 1), GPU_I_PROFILE=profile)
    ground.collected(tmp_path)
    assert hours("allocated", "used", by="pod")["a"] == (share, share / 2)
    assert bill().total.capacity_gpu_hours == 1
    assert [figure for _, figure in found("stranded_slices")] == ([stranded] if stranded else [])
