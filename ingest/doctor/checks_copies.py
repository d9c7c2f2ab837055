"""One thing told twice at a time: two exporters, two kube-state-metrics, a pair of Prometheus servers."""

from collections.abc import Iterator

from finops.kinds import kind
from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Evidence
from ingest.tidy.copies import Copies, of_exporters, of_kube_state_metrics

REPLICA_LABELS = ("replica", "prometheus_replica", "__replica__", "prometheus", "rule_replica", "receive_replica")


def kube_state_metrics(seen: Evidence) -> Iterator[Diagnosis]:
    """Copies are merged by pod uid and by node: harmless, but twice the load."""
    yield _told(seen, "kube-state-metrics", of_kube_state_metrics(seen.answers), "doubled_kube_state_metrics")


def exporters(seen: Evidence) -> Iterator[Diagnosis]:
    """Of two exporters on one device the higher value of an instant stands."""
    yield _told(seen, "dcgm-exporter", of_exporters(seen.answers), "doubled_exporters")


def _told(seen: Evidence, what: str, found: Copies, name: str) -> Diagnosis:
    check, about, mend = f"{what} twice", kind(name), kind(name).cure
    if not found.labels:
        return seen.say("ok", check, f"{what} is scraped once")
    shown, replica = ", ".join(sorted(found.differ)) or "nothing", sorted(found.differ & set(REPLICA_LABELS))
    if replica:
        mend = f"Thanos: --query.replica-label={replica[0]}, or source: prometheus: match: {{{replica[0]}: one of them}}"
    text = f"{what} is scraped more than once: {len(found.labels)} of its series have copies at the same time, which differ in {shown}"
    return seen.say("warn", check, text, about.meaning, mend)
