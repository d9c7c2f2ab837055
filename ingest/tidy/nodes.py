"""Nodes and their GPUs in one hour: capacity, boards, models, and what a unit of each resource is worth."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from finops.accounting.ownership import sanitised
from finops.accounting.shares import NodeGpus, boards, slices_of, unit_share
from finops.accounting.usage import scrape_interval
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device
from ingest.tidy.label_runs import named
from ingest.tidy.presence import counted, model_of_type

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
    """Every node whose capacity names a GPU resource, and every other that has boards by its labels or the exporter: they were paid for."""
    labels = _told(answers, "node_labels")
    uids = {node: row.get("system_uuid") or row.get("provider_id", "") for node, row in _told(answers, "node_info").items()}
    created = {row["node"]: value for row, value in answers.last("node_created") if "node" in row}
    on_node: dict[str, list[Device]] = defaultdict(list)
    for device in devices:
        on_node[device.node].append(device)
    capacities = _capacities(answers)
    seen = {name: ({}, [d.time.tolist() for d in on_node[name] if len(d.time)]) for name in uids if name not in capacities and name in on_node}
    found = []
    for name, (capacity, series) in sorted((capacities | {name: entry for name, entry in seen.items() if entry[1]}).items()):
        row = named(labels.get(name, {}))
        gpus = _gpus(capacity, on_node[name], row)
        # Each target's own spacing: two kube-state-metrics side by side would seem to scrape twice as often.
        interval = configured or float(np.median([scrape_interval(np.array(times)) for times in series]))
        if not (count := boards(gpus)):
            continue
        found.append(
            Node(
                name,
                uids.get(name, ""),
                created.get(name),
                min(map(min, series)),
                max(map(max, series)),
                interval / 2,
                capacity,
                {r: unit_share(r, gpus) for r in capacity},
                _models(count, on_node[name], gpus.model),
                count,
                _pool(row, pool_label),
                next((row[k] for k in INSTANCE_TYPES if row.get(k)), ""),
                _capacity_type(row),
            )
        )
    return found


def _told(answers: Answers, key: str) -> dict[str, dict[str, str]]:
    """What the series of each node say together; of two values of one label the fuller series' stands: a second
    kube-state-metrics may show fewer labels."""
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row, _ in answers.last(key):
        rows[row.get("node", "")].append(row)
    return {
        node: {label: value for row in sorted(group, key=lambda r: (len(r), sorted(r.items()))) for label, value in row.items()}
        for node, group in rows.items()
    }


def _capacities(answers: Answers) -> dict[str, tuple[dict[str, int], list[list[float]]]]:
    """Units by resource, and the times of each series, by node."""
    found: dict[str, tuple[dict[str, int], list[list[float]]]] = {}
    for labels, times, values in answers.series("capacity"):
        capacity, seen = found.setdefault(labels.get("node", ""), ({}, []))
        inside = [v for t, v in zip(times, values, strict=True) if answers.start <= t < answers.end] or values
        capacity[labels["resource"]] = max(capacity.get(labels["resource"], 0), int(max(inside)))
        seen.append(times)
    for labels, times, _ in answers.series("node_seen"):
        if not found.get(labels.get("node", ""), ({}, []))[0]:
            found.setdefault(labels.get("node", ""), ({}, []))[1].append(times)
    return {name: (_offered(capacity), seen) for name, (capacity, seen) in found.items()}


def _offered(capacity: dict[str, int]) -> dict[str, int]:
    """Without resources of which there are none, unless there is nothing else: a plugin that is away leaves its names."""
    return {resource: units for resource, units in capacity.items() if units > 0} or capacity


def _gpus(capacity: dict[str, int], devices: list[Device], labels: dict[str, str]) -> NodeGpus:
    whole = {d.uuid for d in devices if not d.instance}
    sliced = {d.uuid for d in devices if d.instance}
    product = labels.get("nvidia_com_gpu_product", "")
    model = devices[0].model if devices else product or model_of_type(labels)
    return NodeGpus(
        capacity,
        len(whole | sliced),
        len(whole - sliced),
        model,
        product,
        counted(labels),
        _number(labels, "nvidia_com_gpu_replicas"),
        any(d.shared for d in devices),
    )


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


def instance_size(device: Device) -> Fraction:
    """GPUs that one device is: a whole board, or its part of the board's slices."""
    return Fraction(device.slices, slices_of(device.model)) if device.instance and device.slices else Fraction(1)
