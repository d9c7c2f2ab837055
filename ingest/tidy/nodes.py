"""Nodes and their GPUs in one hour: capacity, boards, models, and what a unit of each resource is worth."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from finops.accounting.ownership import sanitised
from finops.accounting.shares import NodeGpus, boards, slices_of, unit_share
from finops.accounting.usage import scrape_interval
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, at_once

POOLS = ("karpenter_sh_nodepool", "eks_amazonaws_com_nodegroup", "cloud_google_com_gke_nodepool", "kubernetes_azure_com_agentpool")
SPOT = {
    "karpenter_sh_capacity_type": ("spot",),
    "eks_amazonaws_com_capacity_type": ("SPOT",),
    "cloud_google_com_gke_spot": ("true",),
    "kubernetes_azure_com_scalesetpriority": ("spot",),
}
INSTANCE_TYPES = ("node_kubernetes_io_instance_type", "beta_kubernetes_io_instance_type")


@dataclass(frozen=True, slots=True)
class Node:
    """`unit_shares`: GPUs per unit of each resource; `models`: boards per model name. Unix seconds."""

    name: str
    uid: str
    created: float | None
    first_seen: float
    last_seen: float
    half_interval: float
    capacity: dict[str, int]
    unit_shares: dict[str, Fraction]
    models: dict[str, int]
    boards: int
    pool: str
    instance_type: str
    capacity_type: str


def nodes(answers: Answers, devices: list[Device], *, pool_label: str, configured: float | None) -> list[Node]:
    """Every node whose capacity names a GPU resource."""
    labels = {row["node"]: row for row, _ in answers.last("node_labels") if "node" in row}
    uids = {row["node"]: row.get("system_uuid") or row.get("provider_id", "") for row, _ in answers.last("node_info") if "node" in row}
    created = {row["node"]: value for row, value in answers.last("node_created") if "node" in row}
    on_node: dict[str, list[Device]] = defaultdict(list)
    for device in devices:
        on_node[device.node].append(device)
    found = []
    for name, told in sorted(_capacities(answers).items()):
        row = {key.removeprefix("label_"): value for key, value in labels.get(name, {}).items()}
        gpus = _gpus(told, on_node[name], row)
        # Each target's own spacing: two kube-state-metrics side by side would seem to scrape twice as often.
        interval = configured or float(np.median([scrape_interval(np.array(times)) for times in told.series]))
        count = boards(gpus)
        found.append(
            Node(
                name,
                uids.get(name, ""),
                created.get(name),
                min(map(min, told.series)),
                max(map(max, told.series)),
                interval / 2,
                told.most,
                {r: unit_share(r, gpus) for r in told.most},
                _models(count, on_node[name], gpus.model),
                count,
                _pool(row, pool_label),
                next((row[k] for k in INSTANCE_TYPES if row.get(k)), ""),
                _capacity_type(row),
            )
        )
    return found


@dataclass(slots=True)
class _Told:
    """What a node's capacity series said: most units by resource, units by scrape and resource, the times of each series."""

    most: dict[str, int] = field(default_factory=dict)
    at: dict[float, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    series: list[list[float]] = field(default_factory=list)

    def mixes(self) -> list[dict[str, int]]:
        """The capacities that were there at one time: a repartitioned board is not there twice."""
        if len(self.most) < 2:
            return [self.most]
        return [dict(mix) for mix in {frozenset(units.items()) for units in self.at.values()}]


def _capacities(answers: Answers) -> dict[str, _Told]:
    found: dict[str, _Told] = defaultdict(_Told)
    for labels, times, values in answers.series("capacity"):
        told, resource = found[labels.get("node", "")], labels["resource"]
        told.series.append(times)
        inside = [(t, int(v)) for t, v in zip(times, values, strict=True) if answers.start <= t < answers.end] or [(times[-1], int(max(values)))]
        for t, units in inside:
            if units > 0:
                told.most[resource] = max(told.most.get(resource, 0), units)
                told.at[t][resource] = max(told.at[t].get(resource, 0), units)
    return {name: told for name, told in found.items() if told.most}


def _gpus(told: _Told, devices: list[Device], labels: dict[str, str]) -> NodeGpus:
    whole = [d for d in devices if not d.instance]
    product = labels.get("nvidia_com_gpu_product", "")
    model = devices[0].model if devices else product
    return NodeGpus(
        told.most,
        _boards_seen(devices),
        _boards_seen(whole),
        model,
        product,
        _number(labels, "nvidia_com_gpu_count"),
        _number(labels, "nvidia_com_gpu_replicas"),
        any(d.shared for d in devices),
        told.mixes(),
    )


def _boards_seen(devices: list[Device]) -> int:
    """Boards in their slots: one that took another's place is no second one."""
    slots: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for device in devices:
        first, last = slots[device.slot].get(device.uuid, device.seen)
        slots[device.slot][device.uuid] = min(first, device.seen[0]), max(last, device.seen[1])
    return sum(at_once(boards.values()) for boards in slots.values())


def _number(labels: dict[str, str], name: str) -> int:
    return int(labels[name]) if labels.get(name, "").isdigit() else 0


def _models(count: int, devices: list[Device], otherwise: str) -> dict[str, int]:
    """Boards per model; boards that no series names bear the commonest model of the node."""
    seen: dict[str, set[str]] = defaultdict(set)
    for device in devices:
        seen[device.model].add(device.uuid)
    models = {model: len(uuids) for model, uuids in sorted(seen.items())} or {otherwise: count}
    commonest = max(models, key=lambda m: (models[m], m))
    models[commonest] += count - sum(models.values())
    return {model: n for model, n in models.items() if n > 0}


def _pool(labels: dict[str, str], pool_label: str) -> str:
    return next((labels[k] for k in (sanitised(pool_label), *POOLS) if k and labels.get(k)), "")


def _capacity_type(labels: dict[str, str]) -> str:
    if labels.get("karpenter_sh_capacity_type") == "reserved":
        return "reserved"
    return "spot" if any(labels.get(k) in values for k, values in SPOT.items()) else "on-demand"


def instance_size(device: Device) -> Fraction | None:
    """GPUs that one device is: a whole board, or its part of the board's slices; None where its profile is not told."""
    if not device.instance:
        return Fraction(1)
    return Fraction(device.slices, slices_of(device.model)) if device.slices else None
