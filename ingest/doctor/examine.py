"""Runs every check on one source."""

import time

from finops.models import Cluster
from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Configured, Evidence
from ingest.doctor.registry import CHECKS, FIRST
from ingest.sources import Source, SourceError
from ingest.sources.prometheus import PrometheusSource

NOTHING = "nothing is collected from this cluster"


def examine(cluster: Cluster, source: Source, *, configured: Configured, at: float | None = None) -> list[Diagnosis]:
    """Every finding on one source; an unreachable one, and one that has nothing of ours, is a single fault."""
    before = source.spent.questions
    try:
        skew = source.check() if isinstance(source, PrometheusSource) else None
        seen = Evidence(cluster, source, at=_latest(cluster, source, skew or 0.0) if at is None else at, skew=skew, configured=configured)
        found = [seen.say("ok", "reachable", "answers")]
        found += [diagnosis for check in FIRST for diagnosis in check(seen)]
        if any(len(samples) for samples in seen.found.values()):
            found += [diagnosis for check in CHECKS for diagnosis in check(seen)]
        return found + [seen.say("ok", "load", f"{source.spent.questions - before} questions, {seen.series} series read")]
    except SourceError as error:
        return [unreachable(cluster, error)]


def _latest(cluster: Cluster, source: Source, skew: float) -> float:
    """Now by the source's clock; a file is looked at where it ends."""
    now = time.time() + skew
    ended = source.span(until=now) if "openmetrics" in cluster.source else None
    return min(now, ended[1] + 1) if ended else now


def unreachable(cluster: Cluster, error: SourceError) -> Diagnosis:
    """The one fault of a source that cannot be read; its text bears the cure."""
    text = str(error)
    check = "partial" if "partial answer" in text else "clock" if "its clock is" in text else "reachable"
    return Diagnosis(cluster.name, "fault", check, text, NOTHING)
