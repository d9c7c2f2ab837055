"""The key gpu_resources of a cluster: what it reads, and one line for each thing it refuses."""

import pytest

from finops.configuration.export import dump
from finops.configuration.schema import Invalid, parse
from finops.configuration.specs import GpuResourceSpec

SOURCE = "clusters:\n- name: a\n  source: {openmetrics: {path: a.om}}\n"


def errors(*entries: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        parse(file(*entries))
    return [str(error) for error in caught.value.errors]


def file(*entries: str) -> str:
    return SOURCE + "  gpu_resources:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def read(*entries: str) -> tuple[GpuResourceSpec, ...] | None:
    (cluster,) = parse(file(*entries)).clusters or ()
    return cluster.gpu_resources


def test_every_key() -> None:
    assert read("resource: amd.com/gpu, model_label: amd.com/gpu.product-name, gpu_model: AMD MI210, units_per_gpu: 8") == (
        GpuResourceSpec("amd.com/gpu", "amd.com/gpu.product-name", "AMD MI210", 8),
    )


def test_a_built_in_resource_needs_no_model() -> None:
    assert read("resource: gpu.intel.com/xe, units_per_gpu: 4", "resource: amd.com/gpu, ignore: true") == (
        GpuResourceSpec("gpu.intel.com/xe", units_per_gpu=4),
        GpuResourceSpec("amd.com/gpu", ignore=True),
    )


def test_absent_and_empty_are_the_same() -> None:
    (absent,), (empty,) = parse(SOURCE).clusters or (), parse(SOURCE + "  gpu_resources: []\n").clusters or ()
    assert absent == empty


def test_what_is_printed_reads_as_the_same() -> None:
    wanted = parse(file("resource: amd.com/gpu, ignore: true", "resource: x.com/y, gpu_model: Y, units_per_gpu: 2"))
    assert parse(dump(wanted)) == wanted


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("gpu_model: x", "line 5: clusters[0].gpu_resources[0]: the key 'resource' is missing"),
        ("resource: cpu, gpu_model: x", "line 5: clusters[0].gpu_resources[0].resource: 'cpu' is no resource of a device plugin; "
         'write its name as pods ask for it, like "amd.com/gpu"'),
        ("resource: memory, gpu_model: x", "line 5: clusters[0].gpu_resources[0].resource: 'memory' is no resource of a device plugin; "
         'write its name as pods ask for it, like "amd.com/gpu"'),
        ("resource: nvidia.com/mig-1g.5gb, gpu_model: x", "line 5: clusters[0].gpu_resources[0].resource: 'nvidia.com/mig-1g.5gb' is one of "
         "NVIDIA's own resources, which are read in any case; leave it out"),
        ("resource: nvidia.com/gpu, gpu_model: x", "line 5: clusters[0].gpu_resources[0].resource: 'nvidia.com/gpu' is one of "
         "NVIDIA's own resources, which are read in any case; leave it out"),
        ("resource: x.com/y", "line 5: clusters[0].gpu_resources[0]: tells no model to price its GPUs by; name gpu_model, "
         "or the node label that tells it in model_label"),
        ("resource: x.com/y, gpu_model: AMD", "line 5: clusters[0].gpu_resources[0].gpu_model: 'AMD' names no model; "
         'write it as in rates, like "AMD Instinct MI300X"'),
        ("resource: amd.com/gpu, units_per_gpu: 0", "line 5: clusters[0].gpu_resources[0].units_per_gpu: '0' is not a whole number from 1 to 1000"),
        ("resource: amd.com/gpu, units: 2", "line 5: clusters[0].gpu_resources[0].units: unknown key; known are resource, model_label, gpu_model, "
         "units_per_gpu, ignore"),
    ],
)  # fmt: skip
def test_one_line_for_each_error(entry: str, told: str) -> None:
    assert errors(entry) == [told]


def test_two_entries_that_are_shown_alike() -> None:
    assert errors("resource: amd.com/gpu", "resource: amd-com/gpu, gpu_model: x") == [
        "line 6: clusters[0].gpu_resources[1]: kube-state-metrics shows 'amd-com/gpu' and the entry on line 5 as amd_com_gpu; keep one"
    ]
