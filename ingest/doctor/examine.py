"""Runs every check on one source."""

import time

from finops.models import Cluster
from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Configured, Evidence
from ingest.doctor.registry import CHECKS, FIRST
from ingest.sources import SourceError

NOTHING = "nothing is collected from this cluster"


def examine(cluster: Cluster, source, *, configured: Configured, at: float | None = None) -> list[Diagnosis]:
    """Every finding on one source; an unreachable one, and one that has nothing of ours, is a single fault."""
    try:
        skew = source.check() if hasattr(source, "check") else None
        seen = Evidence(cluster, source, at=time.time() + (skew or 0.0) if at is None else at, skew=skew, configured=configured)
        found = [seen.say("ok", "reachable", "answers")]
        found += [diagnosis for check in FIRST for diagnosis in check(seen)]
        if any(len(samples) for samples in seen.found.values()):
            found += [diagnosis for check in CHECKS for diagnosis in check(seen)]
        return found + [seen.say("ok", "load", f"{seen.questions} questions, {seen.series} series read")]
    except SourceError as error:
        return [unreachable(cluster, error)]


def unreachable(cluster: Cluster, error: SourceError) -> Diagnosis:
    """The one fault of a source that cannot be read; its text bears the cure."""
    text = str(error)
    check = "partial" if "partial answer" in text else "clock" if "its clock is" in text else "reachable"
    return Diagnosis(cluster.name, "fault", check, text, NOTHING)
