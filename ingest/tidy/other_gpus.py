"""GPUs of other makers on a node: how many by its capacity, which model by its labels. No exporter of theirs is read."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from finops.accounting.gpu_resources import GpuResource, Resources
from finops.accounting.ownership import sanitised


@dataclass(frozen=True, slots=True)
class OtherGpus:
    """`unit_shares`: GPUs per unit, `model_of`: model, each by resource; `models`: boards per model."""

    unit_shares: dict[str, Fraction]
    model_of: dict[str, str]
    models: dict[str, int]


def other_gpus(most: Mapping[str, int], mixes: Sequence[Mapping[str, int]], labels: Mapping[str, str], resources: Resources) -> OtherGpus:
    """`most`: units by resource; `mixes`: the units that were there at one time; `labels`: the node's, as kube-state-metrics spells them."""
    shares = {name: Fraction(1, _units(resources[name], units, labels)) for name, units in most.items()}
    model_of = {name: model_by_labels(resources[name], labels) for name in most}
    models: dict[str, int] = defaultdict(int)
    for mix in mixes:
        held: dict[str, Fraction] = defaultdict(Fraction)
        for name, units in mix.items():
            if name in most:
                held[model_of[name]] += units * shares[name]
        for model, gpus in held.items():
            models[model] = max(models[model], ceil(gpus))
    return OtherGpus(shares, model_of, {model: count for model, count in models.items() if count})


def _units(resource: GpuResource, capacity: int, labels: Mapping[str, str]) -> int:
    """Units of one GPU: as configured, else by the label that counts the boards, where it divides the capacity."""
    counted = labels.get(sanitised(resource.count_label), "") if resource.count_label else ""
    if resource.units_per_gpu or not counted.isdecimal() or not int(counted):
        return resource.units_per_gpu or 1
    return capacity // int(counted) if capacity and capacity % int(counted) == 0 else 1


def model_by_labels(resource: GpuResource, labels: Mapping[str, str]) -> str:
    """The model a node's labels tell, else the one configured, else the resource's own name."""
    told = (labels.get(sanitised(label), "") for label in resource.model_labels)
    return next(filter(None, told), "") or resource.gpu_model or resource.resource
