"""GPU resources of other makers: what a unit of each is, and which model it is."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PATTERN = "nvidia_com_(gpu|gpu_shared|mig_.+)|k8s_amazonaws_com_vgpu"
KNOWN = re.compile(PATTERN)
OURS = ("nvidia_com_", "k8s_amazonaws_com_vgpu")  # the makers whose exporter is read
CLAIM = "resource_claim"  # what a pod holds through its resource claims, whatever they are


@dataclass(frozen=True, slots=True)
class GpuResource:
    """`resource`, and labels of nodes, as Kubernetes spells them. The model is what the first of `model_labels` that a node bears says, else
    `gpu_model`. `units_per_gpu`: 0 where the node's `count_label` may tell, else 1. `ignored`: no GPU to be charged."""

    resource: str
    gpu_model: str = ""
    model_labels: tuple[str, ...] = ()
    units_per_gpu: int = 0
    count_label: str = ""
    ignored: bool = False

    @property
    def shown(self) -> str:
        """The resource as kube-state-metrics shows it."""
        return spelling(self.resource)


def spelling(resource: str) -> str:
    """A resource's name as kube-state-metrics shows it (its internal/store/utils.go): letters keep their case."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", resource)


# What the makers' own device plugins and node labellers say; users need not repeat it.
_INTEL = ("Intel GPU", ("gpu.intel.com/product",), 0, "gpu.intel.com/device.count")
BUILT_IN = (
    GpuResource("amd.com/gpu", "AMD GPU", ("amd.com/gpu.product-name", "beta.amd.com/gpu.product-name")),
    GpuResource("gpu.intel.com/i915", *_INTEL),
    GpuResource("gpu.intel.com/xe", *_INTEL),
)
Resources = Mapping[str, GpuResource]  # by the spelling of kube-state-metrics


def gpu_resources(configured: Iterable[Mapping[str, object]] = ()) -> dict[str, GpuResource]:
    """What counts beside NVIDIA's own: the built-in ones, and over them what a cluster's configuration says."""
    found = {each.shown: each for each in BUILT_IN}
    for entry in configured:
        name = str(entry["resource"])
        known = found.get(spelling(name), GpuResource(name))
        label, model = str(entry.get("model_label") or ""), str(entry.get("gpu_model") or "")
        labels = (label,) if label else () if model else known.model_labels
        units = int(str(entry.get("units_per_gpu") or known.units_per_gpu))
        found[known.shown] = GpuResource(name, model or known.gpu_model, labels, units, known.count_label, bool(entry.get("ignore")))
    return {name: each for name, each in found.items() if not each.ignored}


DEFAULT = gpu_resources()


def pattern(resources: Resources = DEFAULT) -> str:
    """A regular expression for every GPU resource, anchored by who uses it."""
    return "|".join([PATTERN, *(re.escape(name) for name in sorted(resources))])


def measurable(resource: str) -> bool:
    """Whether an exporter that is read may tell the use of what is held: NVIDIA's boards, also by a claim."""
    return resource == CLAIM or resource.startswith(OURS)
