"""Which part of a physical GPU one unit of a resource is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from finops.accounting.gpu_models import normalise_model

PLAIN = "nvidia_com_gpu"
MIG_RESOURCE = re.compile(r"nvidia_com_mig_(\d+)g_")
# Names that say a unit is a part of a board: the NVIDIA plugin's renamed replicas, the AWS virtual GPU plugin's slots.
SHARED = ("gpu_shared", "vgpu")
MIG_PRODUCT = re.compile(r"-MIG-(\d+)g\.", re.IGNORECASE)


def slices_of(model: str) -> int:
    """Compute slices a board of `model` has under MIG (NVIDIA MIG user guide, supported profiles)."""
    name = normalise_model(model)
    if name.startswith("a30") or "rtxpro6000" in name:
        return 4
    return 2 if "rtxpro5000" in name or "rtxpro4500" in name else 7


@dataclass(frozen=True, slots=True)
class NodeGpus:
    """What a node says of its GPUs: `capacity` by resource, `boards` seen by the exporter, its labels."""

    capacity: Mapping[str, int]
    boards_seen: int
    boards_whole: int  # of these, boards without MIG instances
    model: str
    product_label: str = ""
    count_label: int = 0
    replicas_label: int = 0
    shared_on_a_board: bool = False  # two pods named on one board at a time
    at_once: Sequence[Mapping[str, int]] = ()  # capacities that were there at one time, where they changed
    units_per_gpu: Mapping[str, int] = field(default_factory=dict)  # where the configuration tells
    instances: Mapping[int, int] = field(default_factory=dict)  # MIG instances seen, by their slices
    slots_label: Mapping[str, int] = field(default_factory=dict)  # slots per MIG instance by resource, as labels say


def unit_share(resource: str, node: NodeGpus) -> Fraction:
    """GPUs that one unit of `resource` on `node` holds."""
    if told := node.units_per_gpu.get(resource):
        return Fraction(1, told)
    if mig := MIG_RESOURCE.match(resource):
        return Fraction(int(mig[1]), slices_of(node.model) * _slots(resource, int(mig[1]), node))
    if single := MIG_PRODUCT.search(node.product_label):
        return Fraction(int(single[1]), slices_of(node.model) * _slots(resource, int(single[1]), node))
    return Fraction(1, replicas(resource, node))


def _slots(resource: str, size: int, node: NodeGpus) -> int:
    """How many units one MIG instance of `size` slices is shared in: the capacity by the instances, where anything says that it is shared."""
    units, told = node.capacity.get(resource, 0), node.slots_label.get(resource, 0)
    if not (resource.endswith("_shared") or told > 1 or node.product_label.upper().endswith("-SHARED")):
        return 1
    alike = [r for r in node.capacity if (other := MIG_RESOURCE.match(r)) and int(other[1]) == size]
    seen = node.instances.get(size, 0) if len(alike) < 2 else 0
    return units // seen if seen and units and units % seen == 0 else max(told, 1)


def replicas(resource: str, node: NodeGpus) -> int:
    """How many units one board is cut into: the capacity of the resource by its boards, whatever labels say."""
    units = node.capacity.get(resource, 0)
    boards = _boards_in_slots(units, node)
    if not _is_shared(resource, node, boards) or units == 1:
        return 1
    if units and boards and units % boards == 0:
        return units // boards
    return max(node.replicas_label, 1)


def _boards_in_slots(units: int, node: NodeGpus) -> int:
    """The boards seen. An exporter may show the used ones alone: more are believed where the labels explain the capacity to the unit."""
    if node.boards_whole < node.count_label and node.count_label * node.replicas_label == units:
        return node.count_label
    return node.boards_whole or node.count_label


def _is_shared(resource: str, node: NodeGpus, boards: int) -> bool:
    if resource.endswith(SHARED) or node.replicas_label > 1 or node.shared_on_a_board:
        return True
    counted = 0 < node.count_label == boards < node.capacity.get(resource, 0)
    return counted or node.product_label.upper().endswith("-SHARED")


def boards(node: NodeGpus) -> int:
    """Physical GPUs of the node, by its capacity; MIG instances and replicas are put together again."""
    if _counted_twice(node):
        return node.boards_seen
    by_capacity = max(ceil(sum(n * unit_share(r, node) for r, n in units.items())) for units in node.at_once or [node.capacity])
    # Leftover slices that no profile fills make capacity look smaller than the boards that carry them.
    return max(by_capacity, node.boards_seen) if _is_cut(node) else by_capacity or node.boards_seen or node.count_label


def _is_cut(node: NodeGpus) -> bool:
    return any(MIG_RESOURCE.match(r) for r in node.capacity) or bool(MIG_PRODUCT.search(node.product_label))


def stranded(node: NodeGpus, capacity: Mapping[str, int]) -> Fraction:
    """GPUs in slices that belong to no MIG instance while `capacity` is what the node offers: no pod can ask for them."""
    if not _is_cut(node):
        return Fraction(0)
    twice = _counted_twice(node)
    reached = sum((n * unit_share(r, node) for r, n in capacity.items() if not (twice and r == PLAIN)), Fraction(0))
    return max(Fraction(0), boards(node) - reached)


def _counted_twice(node: NodeGpus) -> bool:
    """Whether the plain resource counts the very boards that carry the slices, as a plugin that was reconfigured leaves it."""
    return node.boards_whole == 0 < node.boards_seen == node.capacity.get(PLAIN) and any(MIG_RESOURCE.match(r) for r in node.capacity)
