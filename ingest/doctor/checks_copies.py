"""One thing told twice at a time: two exporters, two kube-state-metrics, a pair of Prometheus servers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Evidence

REPLICA_LABELS = ("replica", "prometheus_replica", "__replica__", "prometheus", "rule_replica", "receive_replica")
# Labels of the pod a device serves: several pods share a device without any copy.
WORKLOAD = ("pod", "namespace", "container", "exported_pod", "exported_namespace", "exported_container", "pod_name", "pod_namespace",
            "container_name", "pod_uid", "vgpu", "hpc_job")
REQUEST = ("namespace", "pod", "uid", "container", "node", "resource")
DEVICE = ("__name__", "UUID", "uuid", "GPU_I_ID", *WORKLOAD)


def kube_state_metrics(seen: Evidence) -> Iterator[Diagnosis]:
    """Copies are merged by pod uid and by node: harmless, but twice the load."""
    copies, differ = _copies(seen, "requests", REQUEST)
    if not copies:
        copies, differ = _copies(seen, "capacity", ("node", "resource"))
    yield from _told(seen, "kube-state-metrics", copies, differ, "kube-state-metrics: replicas: 1, and one ServiceMonitor or scrape job for it")


def exporters(seen: Evidence) -> Iterator[Diagnosis]:
    """Of two exporters on one device the higher value of an instant stands."""
    copies, differ = max((_copies(seen, key, DEVICE) for key in ("profiling", "utilisation")), key=lambda found: found[0])
    yield from _told(seen, "dcgm-exporter", copies, differ, "dcgm-exporter: one DaemonSet, the chart's or the GPU operator's: dcgmExporter.enabled=false")


def _told(seen: Evidence, what: str, copies: int, differ: set[str], mend: str) -> Iterator[Diagnosis]:
    check = f"{what} twice"
    if not copies:
        yield seen.say("ok", check, f"{what} is scraped once")
        return
    shown, replica = ", ".join(sorted(differ)) or "nothing", sorted(differ & set(REPLICA_LABELS))
    if replica:
        mend = f"Thanos: --query.replica-label={replica[0]}, or source: prometheus: match: {{{replica[0]}: one of them}}"
    yield seen.say("warn", check, f"{what} is scraped more than once: {copies} of its series have copies at the same time, which differ in {shown}",
                   "harmless: copies are merged and no figure changes, but twice as much is read", mend)


def _copies(seen: Evidence, key: str, identity: tuple[str, ...]) -> tuple[int, set[str]]:
    """How many things have more than one series at a time, and the labels in which those differ."""
    groups: dict[tuple, list[tuple[Mapping[str, str], float, float]]] = defaultdict(list)
    for labels, times, _ in seen.answers.columns(key):
        groups[tuple(labels.get(name, "") for name in identity)].append((labels, float(times.min()), float(times.max())))
    copies, differ = 0, set()
    for rows in groups.values():
        rows.sort(key=lambda row: row[1])
        twins = [(a[0], b[0]) for a, b in zip(rows, rows[1:], strict=False) if b[1] <= a[2]]
        copies += bool(twins)
        differ |= {name for a, b in twins for name in a.keys() | b.keys() if a.get(name) != b.get(name)}
    return copies, differ
