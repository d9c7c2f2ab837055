"""Pages of exporters scraped directly: fetched together, kept compressed until their hours are collected."""

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from django.db import connection

from finops import times
from finops.models import Cluster
from ingest.sources import SourceError
from ingest.sources.exporters import Target, targets
from ingest.sources.exposition import Gatherer, Malformed, chosen
from ingest.sources.transport import AT_ONCE, Session, get

EVERY = 60.0  # seconds, where the cluster names no other interval
TIMEOUT = 10.0
MOST_BYTES = 256 * 2**20
KEPT = timedelta(hours=6)  # beyond the end of an hour that is done


def scrape(cluster: Cluster, *, now: datetime) -> list[str]:
    """Fetches every page once and keeps it; returns one line per page that could not be had."""
    asked = targets(cluster)
    session = Session(ca_file=None)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda target: _fetch(session, target), asked))
    problems = []
    for target, (at, text, problem) in zip(asked, answers, strict=True):
        problem = problem or _problem(text, target)
        keep(cluster, target.url, at, text if not problem else None, slot=now, problem=problem)
        problems += [f"cluster {cluster.name}, {target.url}: {problem}"] if problem else []
    return problems


def keep(
    cluster: Cluster, target: str, at: datetime, text: str | None, *, slot: datetime | None = None, problem: str = ""
) -> None:
    """Stores one page, or why there is none. A slot of one scrape interval takes one page: the second of two schedules is dropped."""
    every = cluster.scrape_interval or EVERY
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
    at = times.now()
    try:
        return at, get(session, target.url, timeout=TIMEOUT, max_bytes=MOST_BYTES).decode(), ""
    except UnicodeDecodeError:
        return at, None, "answered bytes that are not text; check that the address is an exporter's /metrics"
    except SourceError as error:
        return at, None, str(error)


def _problem(text: str | None, target: Target) -> str:
    """What makes a page unreadable; it must never reach the hour's facts."""
    try:
        Gatherer().page(chosen(text or "").split("\n"), at=0.0, more=target.labels)
    except Malformed as error:
        return f"a line {error}; check that the address is an exporter's /metrics"
    return "" if text and "# TYPE" in text else "answered no exposition text; check that the address is an exporter's /metrics"
