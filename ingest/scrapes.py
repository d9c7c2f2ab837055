"""Pages of exporters scraped directly: fetched together, kept compressed until their hours are collected."""

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime, timedelta

from django.db import connection

from finops import times
from finops.models import Cluster
from ingest.sources import SourceError
from ingest.sources.exporters import Target, targets
from ingest.sources.exposition import Gatherer, Malformed, chosen
from ingest.sources.transport import Session, get

EVERY = 60.0  # seconds: as the schedule has it, and where the cluster names no longer interval
TIMEOUT = 10.0
ROUND = 40.0  # seconds for all pages of a cluster: well below the minute after which they are asked again
PAGES_AT_ONCE = 64
LATE = "was not had before the round was over; check the pages that do not answer, each holds the others up"
MOST_BYTES = 256 * 2**20
KEPT = timedelta(hours=6)  # beyond the end of an hour that is done


def scrape_interval(cluster: Cluster) -> float | None:
    """Seconds between the cluster's samples as configured, None where nothing is: our own scrapes come once a minute at most."""
    configured: float | None = cluster.scrape_interval
    return max(configured, EVERY) if configured and "exporters" in cluster.source else configured


def scrape(cluster: Cluster, *, now: datetime, seconds: float = ROUND) -> list[str]:
    """Fetches every page once and keeps each as it comes; returns one line per page that could not be had within `seconds`."""
    session, problems = Session(ca_file=None), []
    pool = ThreadPoolExecutor(PAGES_AT_ONCE)
    waiting = {pool.submit(_fetch, session, target): target for target in targets(cluster)}
    try:
        for future in as_completed(list(waiting), timeout=seconds):
            target, (at, lines, problem) = waiting.pop(future), future.result()
            keep(cluster, target.url, at, lines, slot=now, problem=problem)
            problems += [f"cluster {cluster.name}, {target.url}: {problem}"] if problem else []
    except TimeoutError:
        for target in waiting.values():
            keep(cluster, target.url, now, None, slot=now, problem=LATE)
        problems += [f"cluster {cluster.name}: {len(waiting)} pages: {LATE}"]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return problems


def keep(
    cluster: Cluster, target: str, at: datetime, text: str | None, *, slot: datetime | None = None, problem: str = ""
) -> None:
    """Stores one page, or why there is none. A slot of one scrape interval takes one page: the second of two schedules is dropped."""
    every = max(cluster.scrape_interval or EVERY, EVERY)
    first = (slot or at).timestamp() // every * every
    page = None if text is None else zlib.compress(chosen(text).encode(), 1)
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into scrape (cluster_id, slot, target, at, page, problem) values (%s, %s, %s, %s, %s, %s)
               on conflict (cluster_id, slot, target) do update set at = excluded.at, page = excluded.page, problem = excluded.problem
               where scrape.page is null""",
            [cluster.id, datetime.fromtimestamp(first, UTC), target, at, page, problem[:500]],
        )


def prune(cluster: Cluster, *, now: datetime) -> None:
    """Drops pages whose hours are done, with time to spare; pages of hours not collected yet stay, however old."""
    with connection.cursor() as cursor:
        cursor.execute(
            """delete from scrape where cluster_id = %s and at < %s
               and at < (select coalesce(min(start), %s) from collection_window where cluster_id = %s and state <> 'done') - interval '15 minutes'""",
            [cluster.id, now - KEPT, now, cluster.id],
        )


def dropped(cluster: Cluster) -> set[datetime]:
    """Starts of hours that are done and whose pages, or some of them, are kept no longer: read again they would only lose."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select start from collection_window where cluster_id = %(cluster)s and state = 'done'
                 and start < coalesce((select min(at) from scrape where cluster_id = %(cluster)s and page is not null), 'infinity')""",
            {"cluster": cluster.id},
        )
        return {start for (start,) in cursor.fetchall()}


def silent(cluster: Cluster, *, start: datetime, end: datetime) -> Sequence[tuple[str, int, str]]:
    """(target, failed scrapes, the last reason) of [start, end)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select target, count(*), (array_agg(problem order by at desc))[1] from scrape
               where cluster_id = %s and slot >= %s and slot < %s and page is null group by target order by target""",
            [cluster.id, start, end],
        )
        return cursor.fetchall()


def _fetch(session: Session, target: Target) -> tuple[datetime, str | None, str]:
    """When the page was asked for, its chosen lines, or why there are none: a page may be large, what is kept of it is not."""
    at = times.now()
    try:
        text = get(session, target.url, timeout=TIMEOUT, max_bytes=MOST_BYTES).decode()
    except UnicodeDecodeError:
        return at, None, "answered bytes that are not text; check that the address is an exporter's /metrics"
    except SourceError as error:
        return at, None, str(error)
    lines = chosen(text)
    problem = _problem(lines, target) if "# TYPE" in text else "answered no exposition text; check that the address is an exporter's /metrics"
    return at, None if problem else lines, problem


def _problem(lines: str, target: Target) -> str:
    """What makes a page unreadable; it must never reach the hour's facts."""
    try:
        Gatherer().page(lines.split("\n"), at=0.0, more=target.labels)
    except Malformed as error:
        return f"a line {error}; check that the address is an exporter's /metrics"
    return ""
