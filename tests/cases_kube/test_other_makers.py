"""GPUs of other makers: capacity and allocation by their device plugin, a price by model, and no measurement."""

import pytest

from finops.models import Cluster, Rate
from finops.quality import findings
from finops.scope import Window
from tests.cases_kube.ground import D, Ground, hours
from tests.fleet import A100, GPU, HOUR, TEN, WHOLE, bill

pytestmark = pytest.mark.django_db
AMD, I915, XE = "amd_com_gpu", "gpu_intel_com_i915", "gpu_intel_com_xe"
BUCKETS = ("allocated", "used", "idle", "unmeasured", "unallocated")
MI300 = {"label_amd_com_gpu_product_name": "AMD_Instinct_MI300X"}


def labelled(ground: Ground, labels: dict[str, str], node: str = "n1") -> Ground:
    return ground.put("kube_node_labels", {"node": node, **labels}, 1, WHOLE)


def configured(*entries: dict) -> None:
    Cluster.objects.create(name="lab", source={}, scrape_interval=60, gpu_resources=list(entries))


def models() -> dict[str, tuple]:
    return {row.keys["gpu_model"]: (row.capacity_gpu_hours, row.cost) for row in bill("gpu_model").rows}


def kinds() -> list[str]:
    """Save that no series tells who owns the pods."""
    return [doubt.finding.kind for doubt in findings(Window(TEN, TEN + HOUR)) if doubt.finding.kind != "ownerless_pods"]


@pytest.mark.parametrize(
    ("resource", "labels", "model"),
    [
        pytest.param(AMD, MI300, "AMD_Instinct_MI300X", id="AMD"),
        pytest.param(AMD, {"label_beta_amd_com_gpu_product_name": "Instinct_MI300X"}, "Instinct_MI300X", id="AMD-beta-label"),
        pytest.param(AMD, {}, "AMD GPU", id="AMD-without-labeller"),
        pytest.param(I915, {"label_gpu_intel_com_product": "Flex_170"}, "Flex_170", id="Intel"),
        pytest.param(XE, {}, "Intel GPU", id="Intel-xe"),
    ],
)
def test_a_cluster_of_another_maker_shows_capacity_and_allocation_unconfigured(resource: str, labels: dict, model: str, tmp_path) -> None:
    """Eight GPUs at 2, three held for the hour: 3 unmeasured, 5 nobody's, 16 in all; nothing is used or idle."""
    Rate.objects.create(price="2", currency="CHF", gpu_model=model)
    ground = labelled(Ground().node(**{resource: 8}), labels).bound("a", 3, at=-20, started=-20, resource=resource)
    ground.collected(tmp_path)
    assert hours(*BUCKETS, by="pod") == {"a": (3, 0, 0, 3, 0), "": (0, 0, 0, 0, 5)}
    assert models() == {model: (8, 16)}
    assert bill().total.efficiency is None
    assert kinds() == []


def test_a_rate_finds_the_model_however_its_maker_writes_it(tmp_path) -> None:
    Rate.objects.create(price="4", currency="CHF", gpu_model="AMD Instinct MI300X")
    labelled(Ground().node(**{AMD: 1}), {"label_amd_com_gpu_product_name": "Instinct_MI300X"}).collected(tmp_path)
    assert models() == {"Instinct_MI300X": (1, 4)}


def test_a_pod_that_pulls_its_image_is_starting(tmp_path) -> None:
    """Started at 10:15: a quarter of an hour starting, the rest unmeasured."""
    labelled(Ground().node(**{AMD: 1}), MI300).bound("a", at=-20, started=15, resource=AMD).collected(tmp_path)
    assert hours("allocated", "starting", "unmeasured") == {"ml": (1, D("0.25"), D("0.75"))}


def test_shared_devices_are_parts_where_a_label_counts_the_boards(tmp_path) -> None:
    """Intel's plugin shares each of two boards ten times: twenty units; two of them are a fifth of a board."""
    ground = labelled(Ground().node(**{I915: 20}), {"label_gpu_intel_com_device_count": "2"})
    ground.bound("a", 2, at=-20, started=-20, resource=I915).collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"a": (D("0.2"), 0), "": (0, D("1.8"))}


def test_a_configured_resource_counts_with_its_units_and_model(tmp_path) -> None:
    """Sixteen partitions, eight to a GPU, at 3 a GPU: four of them are half a GPU."""
    Rate.objects.create(price="3", currency="CHF", gpu_model="MI300X")
    configured({"resource": "amd.com/cpx_nps4", "gpu_model": "AMD Instinct MI300X", "units_per_gpu": 8})
    ground = Ground().node(amd_com_cpx_nps4=16).bound("a", 4, at=-20, started=-20, resource="amd_com_cpx_nps4")
    ground.collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"a": (D("0.5"), 0), "": (0, D("1.5"))}
    assert models() == {"AMD Instinct MI300X": (2, 6)}


def test_a_configured_label_tells_the_model(tmp_path) -> None:
    configured({"resource": "habana.ai/gaudi", "model_label": "example.com/accelerator", "gpu_model": "Gaudi"})
    ground = Ground().node("n1", habana_ai_gaudi=8).node("n2", habana_ai_gaudi=8)
    labelled(ground, {"label_example_com_accelerator": "Gaudi3"}, "n2").collected(tmp_path)
    assert {model: count for model, (count, _) in models().items()} == {"Gaudi": 8, "Gaudi3": 8}


def test_an_ignored_resource_is_none(tmp_path) -> None:
    """The graphics in a processor, offered beside an NVIDIA board."""
    configured({"resource": "gpu.intel.com/i915", "ignore": True})
    ground = Ground().node(**{GPU: 1, I915: 1}).card("GPU-1", "b").bound("b", at=-20, started=-20).bound("a", at=-20, started=-20, resource=I915)
    ground.collected(tmp_path)
    assert hours("allocated", by="pod") == {"b": (1,)}
    assert bill().total.capacity_gpu_hours == 1


def test_a_resource_nobody_configured_is_none(tmp_path) -> None:
    Ground().node(**{GPU: 1, "habana_ai_gaudi": 8}).bound("a", at=-20, started=-20, resource="habana_ai_gaudi").collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"": (0, 1)}


@pytest.mark.parametrize("named", [True, False], ids=["NVIDIA-board-named", "no-exporter"])
def test_two_makers_on_a_node_are_two_pools(named: bool, tmp_path) -> None:
    """An A100 at 3 and two AMD GPUs at 1: each lease is on its maker's, whatever the exporter shows, and AMD's has no use."""
    Rate.objects.create(price="3", currency="CHF", gpu_model=A100)
    Rate.objects.create(price="1", currency="CHF", gpu_model="AMD GPU")
    ground = labelled(Ground().node(**{GPU: 1, AMD: 2}), {"label_nvidia_com_gpu_product": A100.replace(" ", "-")})
    ground.bound("a", at=-20, started=-20, resource=AMD).bound("n", at=-20, started=-20)
    if named:
        ground.card("GPU-1", "n", busy=0.5)
    ground.collected(tmp_path)
    half = D("0.5") if named else 0
    assert hours("allocated", "used", "unallocated", by="pod") == {"a": (1, 0, 0), "n": (1, half, 0), "": (0, 0, 1)}
    assert {row.keys["pod"]: row.cost for row in bill("pod").rows} == {"n": 3, "a": 1, "": 1}
    assert kinds() == ([] if named else ["silent_exporter"])  # of NVIDIA's board alone


def test_an_nvidia_board_without_a_name_is_not_the_amd_pods(tmp_path) -> None:
    """By elimination it would be: the AMD pod alone lacks a card."""
    labelled(Ground().node(**{GPU: 1, AMD: 1}), MI300).bound("a", at=-20, started=-20, resource=AMD).card("GPU-1", busy=1.0).collected(tmp_path)
    assert hours("allocated", "used", by="pod") == {"a": (1, 0)}


@pytest.mark.parametrize("units", [None, 4])
def test_a_resource_of_nvidias_under_another_name_is_measured(units: int | None, tmp_path) -> None:
    """Two boards, in one unit or in four: a board's worth of units, of a board that is half busy."""
    configured({"resource": "nvidia.com/a100", "gpu_model": A100, "units_per_gpu": units})
    ground = Ground().node(nvidia_com_a100=2 * (units or 1)).card("GPU-1", "a").card("GPU-2", busy=0.0)
    ground.bound("a", units or 1, at=-20, started=-20, resource="nvidia_com_a100").collected(tmp_path)
    assert hours("allocated", "used", "unallocated", by="pod") == {"a": (1, D("0.5"), 0), "": (0, 0, 1)}
