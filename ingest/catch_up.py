"""Brings one cluster up to date: plans the hours that should exist, claims what is due, collects it and accounts."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from finops import pipeline, queries
from finops.accounting.calendar import hour_floor, hours
from finops.models import Cluster
from finops.times import settled
from ingest import windows
from ingest.collect import Progress, collect_claimed, owner, quiet
from ingest.open import open_source
from ingest.sources import Source
from ingest.windows import Lane

Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


def plan(cluster: Cluster, source: Source, *, at: datetime) -> None:
    """Makes every hour the source can answer for, from its oldest samples to the running one."""
    known = source.span(until=settled(at).timestamp()) if cluster.first_hour is None or not _grows(cluster) else None
    zone = queries.zone()
    if known:
        cluster.first_hour = hour_floor(datetime.fromtimestamp(known[0], UTC), zone=zone)
        Cluster.objects.filter(pk=cluster.pk).update(first_hour=cluster.first_hour)
    if cluster.first_hour is None:
        return
    until = settled(at) if _grows(cluster) or not known else min(settled(at), datetime.fromtimestamp(known[1], UTC) + timedelta(seconds=1))
    windows.plan(cluster.id, list(hours(cluster.first_hour, until, zone=zone)), now=at)


def catch_up(
    cluster: Cluster, *, lane: Lane = "newest", seconds: float = float("inf"), clock: Clock = now, progress: Progress = quiet
) -> tuple[list[str], int]:
    """Works through the lane until nothing is due or `seconds` are over; returns the problems and how many hours still wait.

    The older lane asks one question at a time, so that a backfill never doubles the load on the source.
    """
    began = clock()
    source = open_source(cluster, max_parallel=1 if lane == "oldest" else None)
    plan(cluster, source, at=began)
    problems: list[str] = []
    late = "prometheus" in cluster.source
    while True:
        at = clock()
        claims = windows.claim(cluster.id, lane=lane, owner=owner(), now=at, settled=settled(at), late=late)
        if not claims:
            break
        problems += collect_claimed(cluster, claims, source=source, until=settled(at), settled=settled(at), progress=progress)
        pipeline.account(cluster)
        if (clock() - began).total_seconds() > seconds:
            break
    pipeline.account(cluster)
    return problems, windows.due(cluster.id, now=clock(), settled=settled(clock()), late=late)


def _grows(cluster: Cluster) -> bool:
    """A file ends; the other sources go on."""
    return "openmetrics" not in cluster.source
