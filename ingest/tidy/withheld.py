"""GPUs that a node has and no pod can get: unhealthy ones, and slices that belong to no MIG instance."""

from collections.abc import Mapping
from fractions import Fraction

from finops.accounting.shares import NodeGpus, stranded

Units = Mapping[float, Mapping[str, int]]  # by scrape (unix seconds) and resource
BRIEF = 300.0  # seconds a GPU must be missing from allocatable: a device plugin that restarts offers none for a moment


def withheld(capacity: Units, allocatable: Units, gpus: NodeGpus, shares: Mapping[str, Fraction], *, interval: float) -> dict[str, str]:
    """GPUs of each kind, the mean over the hour's scrapes, as fractions written out; kinds of nothing are left out."""
    found = {"stranded": _stranded(capacity, gpus), "unhealthy": _unhealthy(capacity, allocatable, shares, interval)}
    return {kind: str(mean) for kind, mean in found.items() if mean}


def _stranded(capacity: Units, gpus: NodeGpus) -> Fraction:
    offered = [{name: units for name, units in mix.items() if name in gpus.capacity} for mix in capacity.values()]
    return _mean([stranded(gpus, mix) for mix in offered if mix])


def _unhealthy(capacity: Units, allocatable: Units, shares: Mapping[str, Fraction], interval: float) -> Fraction:
    """By what capacity exceeds allocatable at the same scrape."""
    lost = [
        sum((max(0, units - free[name]) * shares[name] for name, units in capacity[at].items() if name in free), Fraction(0))
        for at, free in sorted(allocatable.items())
        if at in capacity
    ]
    return _mean(lost) if interval * sum(1 for gpus in lost if gpus) >= BRIEF else Fraction(0)


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
