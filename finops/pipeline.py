"""Stored facts → the hour's ledger, one hour per transaction."""

from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, connection, transaction

from finops import facts, ledger, partitions
from finops.book import Book
from finops.hour import Hour
from finops.models import Cluster


def account(cluster: Cluster, *, start: datetime | None = None, end: datetime | None = None) -> int:
    """Brings the ledger of `cluster` up to date: hours of the window, else every hour whose facts changed. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select start, "end", facts_version from collection_window where cluster_id = %s and collected_until is not null
               and (case when %s::timestamptz is null then dirty else start >= %s and start < %s end) order by start""",
            [cluster.id, start, start, end],
        )
        hours = cursor.fetchall()
    book, done = Book(cluster), 0
    problems: list[Exception] = []
    for begin, until, known in hours:
        try:
            done += _hour(book, begin, until, known=known, anyway=start is not None)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # one hour that cannot be charged keeps no other back; it stays dirty
            error.add_note(f"cluster {cluster.name}, {begin.isoformat()}")
            problems.append(error)
    if problems:
        raise problems[0]
    return done


def _hour(book: Book, start: datetime, end: datetime, *, known: int, anyway: bool) -> bool:
    """Makes the hour's lines and findings from its facts and stores them with the day's roll-up; False where another was faster.

    `known`: the facts' version before the book was read. New rules raise it as well: another one means that the book may be outdated.
    """
    partitions.make(*(start.date() + timedelta(days=n) for n in (-1, 0, 1)))  # whichever day of the zone it is
    with transaction.atomic(), connection.cursor() as cursor:
        cluster = book.cluster.id
        # Read before rules and facts: whatever changes from here on leaves the hour dirty.
        cursor.execute("select facts_version from collection_window where cluster_id = %s and start = %s", [cluster, start])
        version = cursor.fetchone()[0]
        book = book if version == known else Book(book.cluster)
        # Hours of one day share its roll-up: one writer per cluster and day.
        cursor.execute("select pg_advisory_xact_lock(%s, %s)", [cluster, start.astimezone(book.zone).date().toordinal()])
        cursor.execute("select dirty, collected_until from collection_window where cluster_id = %s and start = %s", [cluster, start])
        dirty, collected = cursor.fetchone()
        if not dirty and not anyway:
            return False
        until = min(end, collected)
        found = facts.read(cursor, cluster, start, until)
        made = Hour(book, found, int(start.timestamp()), int(until.timestamp())).made()
        ledger.store(cursor, made, cluster=cluster, hour=start, zone=book.zone, version=version)
    return True
