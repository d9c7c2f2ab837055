"""Pods that hold GPUs: what kube-state-metrics said of each in one hour."""

from collections import defaultdict
from dataclasses import dataclass, field
from math import inf

import numpy as np

from finops.accounting.gpu_resources import CLAIM
from finops.accounting.leases import Lease, Sightings, lease
from finops.accounting.usage import scrape_interval
from ingest.tidy.answers import Answers, instant, pod_key
from ingest.tidy.claims import claims
from ingest.tidy.label_runs import Run, label_runs
from ingest.tidy.owners import Workload, workloads

Key = tuple[str, str, str]  # namespace, pod, uid


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod's hold on `quantity` units of `resource`, CLAIM for what its resource claims give it; `lease` as this hour alone knows it."""

    uid: str
    resource: str
    namespace: str
    name: str
    node: str
    quantity: int
    seen: Sightings
    workload: Workload
    labels: list[Run]
    annotations: list[Run]
    namespace_labels: list[Run]
    lease: Lease | None = field(init=False)  # reckoned once: a node's pods are compared with one another

    def __post_init__(self) -> None:
        object.__setattr__(self, "lease", lease(self.seen))


def pods(answers: Answers, *, configured: float | None) -> list[Pod]:
    """Every pod bound to a node with a GPU request, one entry per resource, and every other one with a resource claim."""
    held, nodes, quantities, holders, interval = _requests(answers, configured=configured)
    interval = _claims(answers, held, nodes, interval=interval, told=bool(held or configured))
    facts = {key: _lowest(answers, key) for key in ("scheduled", "accepted", "completed", "terminal")}
    facts |= {"ended": _first(answers, "phases"), "running": _first(answers, "running")}
    starts, restarts = _containers(answers, "started"), _containers(answers, "restarts")
    labels, annotations = (label_runs(answers, key, pod_key, configured=configured) for key in ("pod_labels", "pod_annotations"))
    spaces = label_runs(answers, "namespace_labels", lambda series: series.get("namespace", ""), configured=configured)
    chains = workloads(answers, {pod: runs[-1].labels for pod, runs in labels.items()})
    found = []
    for (pod, resource), times in sorted(held.items()):
        mine = holders.get((pod, resource)) or {*starts.get(pod, {}), *restarts.get(pod, {})}  # of an init container's GPUs any container tells
        again = times[0] if mine & restarts.get(pod, {}).keys() else None
        begun = min((at for container, at in starts.get(pod, {}).items() if container in mine), default=again)
        seen = _sightings(pod, times, facts, begun, half=interval / 2)
        found.append(
            Pod(
                pod[2] or f"{pod[0]}/{pod[1]}",
                resource,
                pod[0],
                pod[1],
                nodes[pod],
                quantities.get((pod, resource), 1),
                seen,
                chains.get(pod) or Workload("Pod", pod[1], pod[1]),
                labels.get(pod, []),
                annotations.get(pod, []),
                spaces.get(pod[0], []),
            )
        )
    return found


def _sightings(pod: Key, times: list[float], facts: dict[str, dict[Key, float]], begun: float | None, *, half: float) -> Sightings:
    """`begun`: the first start of a container that holds GPUs, where one tells; else the pod's phase does, or its end."""
    terminal = pod in facts["terminal"]
    completed = facts["completed"].get(pod) if terminal else None
    end = facts["ended"].get(pod, completed) if terminal else None
    holding = [t for t in times if end is None or t < end]
    scheduled, accepted = facts["scheduled"].get(pod), facts["accepted"].get(pod)
    started = begun if begun is not None else facts["running"].get(pod)
    if started is None and completed is not None:
        started = next(t for t in (scheduled, accepted, times[0]) if t is not None)
    return Sightings(
        min(holding, default=None), max(holding, default=None), half, scheduled, accepted, started, end if end is not None else completed, completed
    )  # fmt: skip


def _requests(answers: Answers, *, configured: float | None):
    sidecars = {(*pod_key(labels), labels.get("container")) for labels, _ in answers.last("sidecars")}
    held: dict[tuple[Key, str], set[float]] = defaultdict(set)
    nodes: dict[Key, str] = {}
    main: dict = defaultdict(dict)
    init: dict = defaultdict(dict)
    spacings = []
    for key in ("requests", "init_requests"):
        for labels, times, values in answers.counts(key):
            pod, resource, container = pod_key(labels), labels.get("resource", ""), labels.get("container", "")
            if not (values[-1] > 0 and labels.get("node")):
                continue
            stays = key == "requests" or (*pod, container) in sidecars
            (main if stays else init)[pod, resource][container] = int(values[-1])
            held[pod, resource].update(times)
            nodes[pod] = labels.get("node", "")
            if not configured:
                spacings.append(scrape_interval(np.array(times)))
    quantities = {key: max(sum(main[key].values()), max(init[key].values(), default=0)) for key in held}
    interval = configured or (float(np.median(spacings)) if spacings else 60.0)
    holders = {key: set(main[key]) for key in held}
    return {key: sorted(times) for key, times in held.items()}, nodes, quantities, holders, interval


def _claims(
    answers: Answers, held: dict[tuple[Key, str], list[float]], nodes: dict[Key, str], *, interval: float, told: bool
) -> float:
    """Adds the pods that hold by claims alone; beside a request for GPUs a claim gives something else. Returns the scrape interval."""
    asking = set(nodes)
    found = {pod: where for pod, where in claims(answers, _lowest(answers, "scheduled")).items() if pod not in asking}
    held |= {(pod, CLAIM): times for pod, (_, times) in found.items()}
    nodes |= {pod: node for pod, (node, _) in found.items()}
    spacings = [] if told else [scrape_interval(np.array(times)) for _, times in found.values()]
    return float(np.median(spacings)) if spacings else interval


def _lowest(answers: Answers, key: str) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for labels, value in answers.last(key):
        if instant(value):
            found[pod_key(labels)] = min(found.get(pod_key(labels), inf), value)
    return found


def _containers(answers: Answers, key: str) -> dict[Key, dict[str, float]]:
    """The lowest value by pod and container."""
    found: dict[Key, dict[str, float]] = defaultdict(dict)
    for labels, value in answers.last(key):
        mine, container = found[pod_key(labels)], labels.get("container", "")
        if instant(value):
            mine[container] = min(mine.get(container, inf), value)
    return found


def _first(answers: Answers, key: str) -> dict[Key, float]:
    """First scrape that saw one of the phases asked for, for pods the source was asked about in detail."""
    found: dict[Key, float] = {}
    for labels, times, values in answers.series(key):
        pod = pod_key(labels)
        first = min((t for t, v in zip(times, values, strict=True) if v == 1), default=inf)
        if first < inf:
            found[pod] = min(found.get(pod, inf), first)
    return found
