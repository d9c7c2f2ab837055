"""One thing told twice at a time: two exporters, two kube-state-metrics, a pair of Prometheus servers."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.tidy.answers import Answers

# Labels of the pod a device serves: several pods share a device without any copy.
WORKLOAD = ("pod", "namespace", "container", "exported_pod", "exported_namespace", "exported_container", "pod_name", "pod_namespace",
            "container_name", "pod_uid", "vgpu", "hpc_job")  # fmt: skip
REQUEST = ("namespace", "pod", "uid", "container", "node", "resource")
CAPACITY = ("node", "resource")
DEVICE = ("__name__", "UUID", "uuid", "GPU_I_ID", *WORKLOAD)


@dataclass(slots=True)
class Copies:
    """`labels`: of one series of each thing that has several at a time; `differ`: the labels in which those differ."""

    labels: list[Mapping[str, str]] = field(default_factory=list)
    differ: set[str] = field(default_factory=set)


def of_kube_state_metrics(answers: Answers) -> Copies:
    """Copies of what pods request, else of what nodes have."""
    found = copies(answers, "requests", REQUEST)
    return found if found.labels else copies(answers, "capacity", CAPACITY)


def of_exporters(answers: Answers) -> Copies:
    """Copies of whichever busy figure has more of them."""
    return max((copies(answers, key, DEVICE) for key in ("profiling", "utilisation")), key=lambda found: len(found.labels))


def copies(answers: Answers, key: str, identity: tuple[str, ...]) -> Copies:
    """Of the things that `identity` tells apart those with two series at one time; a series that follows another is no copy."""
    groups: dict[tuple[str, ...], list[tuple[Mapping[str, str], float, float]]] = defaultdict(list)
    for labels, times, _ in answers.columns(key):
        groups[tuple(labels.get(name, "") for name in identity)].append((labels, float(times.min()), float(times.max())))
    found = Copies()
    for rows in groups.values():
        rows.sort(key=lambda row: row[1])
        twins = [(a[0], b[0]) for a, b in zip(rows, rows[1:], strict=False) if b[1] <= a[2]]
        found.labels += [rows[0][0]] if twins else []
        found.differ |= {name for a, b in twins for name in a.keys() | b.keys() if a.get(name) != b.get(name)}
    return found
