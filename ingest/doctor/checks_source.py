"""The source itself: its clock, what it holds at all, and how long it keeps it."""

from collections.abc import Iterator

from finops.kinds import kind
from ingest.catalogue import UTILISATION
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import Evidence
from ingest.sources.promql import selector

SKEW_SECONDS = 5.0
CLUSTER_LABELS = ("cluster", "cluster_name", "cluster_id", "k8s_cluster", "k8s_cluster_name", "kubernetes_cluster", "tenant_id")
KEPT_DAYS = 3


def clock(seen: Evidence) -> Iterator[Diagnosis]:
    """Beyond 60 s the source is refused before any check."""
    if seen.skew is None:
        return
    if abs(seen.skew) <= SKEW_SECONDS:
        yield seen.say("ok", "clock", f"its clock is {seen.skew:+.1f} s off ours")
    else:
        yield seen.say("warn", "clock", f"its clock is {seen.skew:+.1f} s off ours; above 60 s it is refused",
                       kind("clock_skew").meaning, kind("clock_skew").cure)


def nothing(seen: Evidence) -> Iterator[Diagnosis]:
    """No series of the whole catalogue."""
    if any(len(samples) for samples in seen.found.values()):
        return
    if seen.lately("capacity"):
        yield seen.say("fault", "series", "needed series exist, but none since more than 15 minutes", "nothing is collected from this cluster",
                       "bring the scrape targets of kube-state-metrics and dcgm-exporter up: see Status, Targets in Prometheus")
        return
    anywhere = seen.number(f"count(last_over_time({selector(('kube_node_status_capacity', *UTILISATION))}[1h]))") if seen.match else 0
    if anywhere:
        yield seen.say("fault", "match", f"no needed series bears {seen.match}, though {anywhere:.0f} exist without those labels",
                       "nothing is collected from this cluster",
                       f"clusters: - name: {seen.cluster.name}: source.prometheus.match: name labels that the series bear, or remove it")
        return
    yield seen.say("fault", "series", "no needed series in the last hour", "nothing is collected from this cluster",
                   "scrape kube-state-metrics and dcgm-exporter with this Prometheus")


def several_clusters(seen: Evidence) -> Iterator[Diagnosis]:
    """More than one cluster behind one address, and no matcher that tells them apart."""
    for label in CLUSTER_LABELS:
        values = {row[label] for row in seen.labels("capacity", "requests") if row.get(label)}
        if len(values) > 1 and label not in seen.match:
            yield seen.say("fault", "several clusters", f"series bear {len(values)} values of {label}: {named(values)}",
                           f"they are all booked as {seen.cluster.name}; nodes that share a name melt into one",
                           f"clusters: - {{name: {min(values)}, source: {{prometheus: {{match: {{{label}: {min(values)}}}}}}}}} and one for each other")
            return
    yield seen.say("ok", "several clusters", "one cluster answers")


def retention(seen: Evidence) -> Iterator[Diagnosis]:
    """Whether nodes that stood three days ago have samples from then: the longest outage of collection that loses nothing."""
    ago = KEPT_DAYS * 86400.0
    created = [value for _, value in seen.answers.last("node_created")]
    if not created or min(created) > seen.at - ago - 3600 or not hasattr(seen.source, "instant"):
        return
    if seen.number(f"count(last_over_time({seen.chosen(('kube_node_status_capacity',))}[1h]))", ago=ago):
        yield seen.say("ok", "retention", f"samples of {KEPT_DAYS} days ago are there")
    else:
        yield seen.say("warn", "retention", f"nodes stood {KEPT_DAYS} days ago and no sample of then is left, or scraping began since",
                       "hours in which collection stands still for longer than that are lost for ever",
                       "prometheus: --storage.tsdb.retention.time=15d")


def histograms(seen: Evidence) -> Iterator[Diagnosis]:
    """Series that came as native histograms: they hold no value to read."""
    if skipped := getattr(seen.source, "histograms", 0):
        yield seen.say("warn", "histograms", f"{skipped} series are native histograms and were skipped", "what they tell is missing",
                       "Prometheus: scrape_configs: scrape_native_histograms: false for the exporters' jobs")
