"""Which resources are GPUs, and what the configuration says over what is built in."""

import re

import pytest

from finops.accounting.gpu_resources import gpu_resources, measurable, pattern, spelling


@pytest.mark.parametrize(
    ("resource", "shown"),
    [("amd.com/gpu", "amd_com_gpu"), ("gpu.intel.com/i915", "gpu_intel_com_i915"), ("example.com/GPU-x", "example_com_GPU_x")],
)
def test_spelling(resource: str, shown: str) -> None:
    assert spelling(resource) == shown


def test_what_is_built_in() -> None:
    assert sorted(gpu_resources()) == ["amd_com_gpu", "gpu_intel_com_i915", "gpu_intel_com_xe"]


@pytest.mark.parametrize("name", ["nvidia_com_gpu", "nvidia_com_mig_3g_20gb", "k8s_amazonaws_com_vgpu", "amd_com_gpu", "gpu_intel_com_xe"])
def test_pattern_of_a_cluster_without_configuration(name: str) -> None:
    assert re.fullmatch(pattern(), name)


@pytest.mark.parametrize("name", ["cpu", "nvidia_com_gpumem", "gpu_intel_com_i915_monitoring", "amd_com_gpu_x", "habana_ai_gaudi"])
def test_what_is_no_gpu(name: str) -> None:
    assert not re.fullmatch(pattern(), name)


def test_an_entry_adds_to_what_is_built_in() -> None:
    found = gpu_resources([{"resource": "habana.ai/gaudi", "gpu_model": "Gaudi 3", "units_per_gpu": 2}])
    gaudi = found["habana_ai_gaudi"]
    assert (gaudi.gpu_model, gaudi.model_labels, gaudi.units_per_gpu) == ("Gaudi 3", (), 2)
    assert re.fullmatch(pattern(found), "habana_ai_gaudi") and len(found) == 4


def test_an_entry_stands_over_what_is_built_in() -> None:
    """A label given alone keeps the maker's name for nodes that lack it; a model given alone holds whatever labels say."""
    label = gpu_resources([{"resource": "amd.com/gpu", "model_label": "example.com/gpu"}])["amd_com_gpu"]
    model = gpu_resources([{"resource": "amd.com/gpu", "gpu_model": "MI300X"}])["amd_com_gpu"]
    assert (label.gpu_model, label.model_labels) == ("AMD GPU", ("example.com/gpu",))
    assert (model.gpu_model, model.model_labels) == ("MI300X", ())


def test_an_ignored_entry_takes_away() -> None:
    found = gpu_resources([{"resource": "gpu.intel.com/i915", "ignore": True}])
    assert "gpu_intel_com_i915" not in found and not re.fullmatch(pattern(found), "gpu_intel_com_i915")


@pytest.mark.parametrize(("resource", "right"), [("nvidia_com_a100", True), ("resource_claim", True), ("amd_com_gpu", False)])
def test_whose_use_an_exporter_may_tell(resource: str, right: bool) -> None:
    assert measurable(resource) is right
