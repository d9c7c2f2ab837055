"""Nodes and their GPUs in one hour: capacity, boards, models, and what a unit of each resource is worth."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from finops.accounting.ownership import sanitised
from finops.accounting.shares import NodeGpus, boards, slices_of, unit_share
from finops.accounting.usage import scrape_interval
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, at_once, slots
from ingest.tidy.label_runs import named
from ingest.tidy.machines import Machine, machines, together
from ingest.tidy.presence import counted, model_of_type

Counted = tuple[str, list[float], list[float]]
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
    """Every node whose capacity names a GPU resource, and every other that has boards by its labels or the exporter: they were paid for.

    A name that went on to another machine is two nodes.
    """
    labels = together(answers, "node_labels")
    known = machines(answers)
    on_node: dict[str, list[Device]] = defaultdict(list)
    for device in devices:
        on_node[device.node].append(device)
    capacities = _capacities(answers)
    found = []
    for name in sorted({*capacities, *({*labels, *known} & on_node.keys())}):
        row = named(labels.get(name, {}))
        for machine in known.get(name) or [Machine("", None)]:
            there = _there(on_node[name], answers, machine)
            found += _node(name, capacities.get(name, []), machine, there, row, answers, pool_label=pool_label, configured=configured)
    return found


def _node(
    name: str, rows: Sequence[Counted], machine: Machine, devices: list[Device], row: dict[str, str], answers: Answers, *,
    pool_label: str, configured: float | None,
) -> list[Node]:  # fmt: skip
    """The machine as a node; none where it never had GPUs."""
    told = _capacity(rows, machine, answers)
    if not told.most:  # no device plugin answers: its boards are there all the same
        told.most = {resource: 0 for resource, *_ in rows if resource}
        told.series += [device.time.tolist() for device in devices if len(device.time)]
    gpus = _gpus(told, devices, row)
    if not (told.series and boards(gpus)):
        return []
    # Each target's own spacing: two kube-state-metrics side by side would seem to scrape twice as often.
    interval = configured or float(np.median([scrape_interval(np.array(times)) for times in told.series]))
    count = boards(gpus)
    return [
        Node(
            name,
            machine.uid,
            machine.created,
            min(map(min, told.series)),
            max(map(max, told.series)),
            interval / 2,
            told.most,
            {r: unit_share(r, gpus) for r in told.most},
            _models(count, devices, gpus.model),
            count,
            _pool(row, pool_label),
            next((row[k] for k in INSTANCE_TYPES if row.get(k)), ""),
            _capacity_type(row),
        )
    ]


def _capacities(answers: Answers) -> dict[str, list[Counted]]:
    """(resource, times, units) of each series, by node; where there is none, when the node was there with units of nothing."""
    found: dict[str, list[Counted]] = defaultdict(list)
    for labels, times, values in answers.counts("capacity"):
        found[labels.get("node", "")].append((labels["resource"], times, values))
    for labels, times, _ in answers.series("node_seen"):
        if labels.get("node", "") not in found:
            found[labels.get("node", "")] = [("", times, [0.0] * len(times))]
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


def _capacity(rows: Sequence[Counted], machine: Machine, answers: Answers) -> _Told:
    """What was said while the machine was there."""
    found = _Told()
    for resource, times, values in rows:
        if not (told := [(t, int(v)) for t, v in zip(times, values, strict=True) if machine.at(t)]):
            continue
        found.series.append([t for t, _ in told])
        inside = [(t, v) for t, v in told if answers.start <= t < answers.end] or [(told[-1][0], max(v for _, v in told))]
        for t, units in inside:
            if units > 0:
                found.most[resource] = max(found.most.get(resource, 0), units)
                found.at[t][resource] = max(found.at[t].get(resource, 0), units)
    return found


def _there(devices: list[Device], answers: Answers, machine: Machine) -> list[Device]:
    """Those the hour itself saw in the machine, else those of its margins, where another of the same name may follow."""
    mine = [d for d in devices if _was(d, machine.begin, machine.until)] or devices
    return [d for d in mine if _was(d, max(answers.start, machine.begin), min(answers.end, machine.until))] or mine


def _was(device: Device, start: float, end: float) -> bool:
    return device.seen[0] < end and device.seen[1] >= start


def _gpus(told: _Told, devices: list[Device], labels: dict[str, str]) -> NodeGpus:
    whole = [d for d in devices if not d.instance]
    product = labels.get("nvidia_com_gpu_product", "")
    model = devices[0].model if devices else product or model_of_type(labels)
    return NodeGpus(
        told.most,
        _boards_seen(devices),
        _boards_seen(whole),
        model,
        product,
        counted(labels),
        _number(labels, "nvidia_com_gpu_replicas"),
        any(d.shared for d in devices),
        told.mixes(),
    )


def _boards_seen(devices: list[Device]) -> int:
    """Boards in their slots: one that took another's place is no second one."""
    return sum(at_once(boards.values()) for boards in slots(devices).values())


def _number(labels: dict[str, str], name: str) -> int:
    return int(labels[name]) if labels.get(name, "").isdecimal() else 0


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
