"""Stored facts → the hour's ledger, one hour per transaction."""

from datetime import datetime

from django.db import InterfaceError, OperationalError, connection, transaction

from finops import facts, ledger, partitions
from finops.book import Book
from finops.hour import Hour
from finops.models import Cluster


def account(cluster: Cluster, *, start: datetime | None = None, end: datetime | None = None) -> int:
    """Brings the ledger of `cluster` up to date: hours of the window, else every hour whose facts changed. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select start, "end" from collection_window where cluster_id = %s and collected_until is not null
               and (case when %s::timestamptz is null then dirty else start >= %s and start < %s end) order by start""",
            [cluster.id, start, start, end],
        )
        hours = cursor.fetchall()
    book, done = Book(cluster), 0
    problems: list[Exception] = []
    for begin, until in hours:
        try:
            done += _hour(book, begin, until, anyway=start is not None)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # one hour that cannot be charged keeps no other back; it stays dirty
            error.add_note(f"cluster {cluster.name}, {begin.isoformat()}")
            problems.append(error)
    if problems:
        raise problems[0]
    return done


def _hour(book: Book, start: datetime, end: datetime, *, anyway: bool) -> bool:
    """Makes the hour's lines and findings from its facts and stores them with the day's roll-up; False where another was faster."""
    cluster, day = book.cluster.id, start.astimezone(book.zone).date()
    partitions.make(start.date(), day)
    with transaction.atomic(), connection.cursor() as cursor:
        # Hours of one day share its roll-up: one writer per cluster and day.
        cursor.execute("select pg_advisory_xact_lock(%s, %s)", [cluster, day.toordinal()])
        cursor.execute("select dirty, facts_version, collected_until from collection_window where cluster_id = %s and start = %s", [cluster, start])
        dirty, version, collected = cursor.fetchone()
        if not dirty and not anyway:
            return False
        until = min(end, collected)
        found = facts.read(cursor, cluster, start, until)
        made = Hour(book, found, int(start.timestamp()), int(until.timestamp())).made()
        ledger.store(cursor, made, cluster=cluster, hour=start, zone=book.zone, version=version)
    return True
