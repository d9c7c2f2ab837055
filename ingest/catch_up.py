"""Brings one cluster up to date: plans the hours that should exist, claims what is due, collects it and accounts."""

import logging
from datetime import UTC, datetime, timedelta

from finops import pipeline, queries
from finops.accounting.calendar import hour_floor, hours
from finops.models import Cluster
from finops.times import now, settled
from ingest import windows
from ingest.blame import nobodys
from ingest.collect import Clock, Progress, collect_claimed, owner, quiet
from ingest.open import open_source
from ingest.sources import Skewed, Source, SourceError, Unreachable
from ingest.sources.decode import one_line
from ingest.windows import Lane

log = logging.getLogger(__name__)


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
    """Works through the lane until nothing is due or `seconds` are over; returns the problems and how much still waits:
    hours to be read, days to be accounted.

    The older lane asks one question at a time, so that a backfill never doubles the load on the source.
    """
    began = clock()
    source = open_source(cluster, max_parallel=1 if lane == "oldest" else None)
    _agree_on_the_time(source)
    plan(cluster, source, at=began)
    problems: list[str] = []
    while True:
        at = clock()
        claims = windows.claim(cluster.id, lane=lane, owner=owner(), now=at, settled=settled(at), late=_may_be_late(cluster))
        if not claims:
            break
        try:
            problems += collect_claimed(cluster, claims, source=source, until=settled(at), settled=settled(at), clock=clock, progress=progress)
        except Unreachable as error:
            problems.append(str(error))
            break
        _account(cluster, seconds)
        if (clock() - began).total_seconds() > seconds:
            break
    problems += _account(cluster, seconds)
    at = clock()
    return problems, windows.due(cluster.id, now=at, settled=settled(at), late=_may_be_late(cluster)) + len(pipeline.due(cluster))


def _account(cluster: Cluster, seconds: float) -> list[str]:
    """An hour that cannot be charged stays dirty and is told; collecting goes on."""
    try:
        pipeline.account(cluster, seconds=seconds)
    except Exception as error:
        if nobodys(error):
            raise
        log.error("accounting", exc_info=error)
        return [f"accounting {', '.join(getattr(error, '__notes__', [cluster.name]))}: {one_line(str(error))[:300]}"]
    return []


def _agree_on_the_time(source: Source) -> None:
    """Before an hour is planned: a clock ahead of the source's would make hours that have not been. Silence is told of later."""
    try:
        source.check()
    except Skewed:
        raise
    except SourceError:
        pass


def _may_be_late(cluster: Cluster) -> bool:
    return "prometheus" in cluster.source


def _grows(cluster: Cluster) -> bool:
    """A file ends; the other sources go on."""
    return "openmetrics" not in cluster.source
