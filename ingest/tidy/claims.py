"""Pods that hold devices through resource claims: no request tells of them, kube-state-metrics or the exporter names their claim."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ingest.catalogue import CLAIMED
from ingest.sources import Samples
from ingest.tidy.answers import Answers, pod_key
from ingest.tidy.rows import POD_LABELS

Key = tuple[str, str, str]  # namespace, pod, uid
DEVICES = ("profiling", "utilisation")


def claims(answers: Answers, bound: Mapping[Key, float]) -> dict[Key, tuple[str, list[float]]]:
    """Node and sightings (unix seconds, rising) of each pod with a claim that has a node. `bound`: when pods were bound, where told."""
    told: dict[Key, set[float]] = defaultdict(set)
    for labels, times, values in answers.counts("claims"):
        told[pod_key(labels)].update(t for t, v in zip(times, values, strict=True) if v == 1)
    shown: dict[Key, set[float]] = defaultdict(set)
    on_devices = list(_on_devices(answers))
    if not (told or on_devices):
        return {}
    nodes = {pod_key(labels): labels["node"] for labels, _ in answers.last("pod_info") if labels.get("node")}
    bearers = _bearers(nodes) if on_devices else {}
    for name, times in on_devices:
        for time in times:
            if pod := _whose(bearers.get(name, []), bound, time):
                shown[pod].add(time)
    found = shown | {pod: times for pod, times in told.items() if times}  # the pod's own series outlives no pod
    return {pod: (nodes[pod], sorted(times)) for pod, times in found.items() if pod in nodes}


def claimants(found: Mapping[str, Samples]) -> set[str]:
    """The uids of pods with claims, to be asked about in detail."""
    told = {labels.get("uid", "") for labels in found["claims"].labels}
    rows = [labels for key in DEVICES for labels in found[key].labels if labels.get(CLAIMED)]
    bearers = _bearers({pod_key(labels): "" for labels in found["pod_info"].labels}) if rows else {}
    return (told | {pod[2] for labels in rows for pod in bearers.get(_name(labels), [])}) - {""}


def _bearers(nodes: Mapping[Key, str]) -> dict[tuple[str, str], list[Key]]:
    """The pods of each name."""
    found: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for pod in sorted(nodes):
        found[pod[:2]].append(pod)
    return found


def _on_devices(answers: Answers) -> Iterator[tuple[tuple[str, str], list[float]]]:
    for key in DEVICES:
        for labels, times, _ in answers.series(key):
            if labels.get(CLAIMED):
                yield _name(labels), times


def _name(labels: Mapping[str, str]) -> tuple[str, str]:
    """(namespace, pod) of the workload: what stands behind it is the exporter's own."""
    return next(((labels[space], labels[pod]) for pod, space in POD_LABELS if labels.get(pod) and labels.get(space)), ("", ""))


def _whose(pods: list[Key], bound: Mapping[Key, float], time: float) -> Key | None:
    """Of pods that bore one name in turn the one that was bound last by then."""
    there = [pod for pod in pods if len(pods) == 1 or bound.get(pod, time) <= time]
    return max(there, key=lambda pod: (bound.get(pod, float("-inf")), pod), default=None)
