"""Stored facts → the ledger, the due hours of one local day per transaction."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from math import inf
from zoneinfo import ZoneInfo

from django.db import InterfaceError, OperationalError, connection, transaction

from finops import ledger, partitions, queries, reading
from finops.accounting.calendar import local_day
from finops.book import Book
from finops.hour import Hour
from finops.models import Cluster

ROWS_AT_ONCE = 100_000  # of facts in memory: a day of some 500 GPUs, an hour of some 10,000


@dataclass(frozen=True, slots=True)
class Day:
    """Hours of one local day to be accounted; `anyway`: also those that are not due any more."""

    cluster: Cluster
    zone: ZoneInfo
    date: date
    hours: tuple[datetime, ...]
    anyway: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """An hour to be accounted: how far it was read, the version of its facts, and how many rows they are."""

    start: datetime
    until: datetime
    version: int
    rows: int


@dataclass(slots=True)
class Done:
    """What came of a day: hours accounted, their capacity in GPU-hours, and the hours that cannot be charged with the reason."""

    hours: int = 0
    gpu_hours: Decimal = Decimal(0)
    problems: list[tuple[datetime, Exception]] = field(default_factory=list)

    def __iadd__(self, other: "Done") -> "Done":
        return Done(self.hours + other.hours, self.gpu_hours + other.gpu_hours, self.problems + other.problems)


def account(
    cluster: Cluster, *, start: datetime | None = None, end: datetime | None = None, seconds: float = inf, clock: Callable[[], float] = time.monotonic
) -> int:
    """Brings the ledger of `cluster` up to date: hours of the window, else every hour whose facts changed. Returns how many.

    What happened last is looked at first, days that somebody else is at come last; after `seconds` no further day is begun.
    Raises the first problem once all is done.
    """
    began, done = clock(), Done()
    turns = deque((day, False) for day in reversed(due(cluster, start=start, end=end, anyway=start is not None)))
    while turns:
        day, wait = turns.popleft()
        if (one := account_day(day, wait=wait)) is None:
            turns.append((day, True))
        else:
            done += one
        if clock() - began > seconds:
            break
    if done.problems:
        hour, error = done.problems[0]
        error.add_note(f"cluster {cluster.name}, {hour.isoformat()}")
        raise error
    return done.hours


def due(cluster: Cluster, *, start: datetime | None = None, end: datetime | None = None, anyway: bool = False) -> list[Day]:
    """The days of which hours are due, or any hours there are; within the window, if one is given."""
    zone = queries.zone()
    with connection.cursor() as cursor:
        cursor.execute(
            """select start from collection_window where cluster_id = %s and collected_until is not null and (dirty or %s)
                 and (%s::timestamptz is null or start >= %s and start < %s) order by start""",
            [cluster.id, anyway, start, start, end],
        )
        hours = [hour for (hour,) in cursor.fetchall()]
    days = groupby(hours, key=lambda hour: local_day(hour, zone=zone))
    return [Day(cluster, zone, day, tuple(group), anyway) for day, group in days]


def account_day(day: Day, *, wait: bool = True) -> Done | None:
    """Accounts the day at once, or hour by hour where one of them cannot be charged; that one stays due.

    None where somebody else is at it, unless told to wait.
    """
    try:
        return _at_once(day, day.hours, wait=wait)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        if len(day.hours) == 1:
            return Done(problems=[(day.hours[0], error)])
    done = Done()
    for hour in day.hours:
        try:
            done += _at_once(day, (hour,), wait=True) or Done()
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            done.problems.append((hour, error))
    return done


def _at_once(day: Day, hours: Sequence[datetime], *, wait: bool) -> Done | None:
    """Makes the lines and findings of hours of one day from their facts and stores them with the day's roll-up."""
    partitions.make(*(day.date + timedelta(days=n) for n in (-1, 0, 1)))
    cluster = day.cluster.id
    with transaction.atomic(), connection.cursor() as cursor:
        # Hours of one day share its roll-up: one writer per cluster and day.
        if not _ours(cursor, cluster, day.date, wait=wait):
            return None
        # Versions are read before rules and facts: whatever changes from here on leaves its hour dirty.
        windows = _windows(cursor, cluster, hours, anyway=day.anyway)
        if not windows:
            return Done()
        book = Book(day.cluster)
        if book.zone.key != day.zone.key:
            raise ValueError(f"the reporting zone became {book.zone.key} while hours of {day.zone.key} were accounted; they are due still")
        made: dict[datetime, ledger.Made] = {}
        for group in portions(windows, most=ROWS_AT_ONCE):
            made |= _made(cursor, book, [(each.start, each.until) for each in group])
        ledger.store(cursor, made, cluster=cluster, zone=book.zone, versions={each.start: each.version for each in windows})
    return Done(len(made), sum((each.total("capacity") for each in made.values()), Decimal(0)))


def _ours(cursor, cluster: int, day: date, *, wait: bool) -> bool:
    cursor.execute(f"select pg_{'' if wait else 'try_'}advisory_xact_lock(%s, %s)", [cluster, day.toordinal()])
    return wait or cursor.fetchone()[0]


def _windows(cursor, cluster: int, hours: Iterable[datetime], *, anyway: bool) -> list[Due]:
    """Those of the hours that are to be accounted still."""
    cursor.execute(
        """select start, least("end", collected_until), facts_version, rows from collection_window
           where cluster_id = %s and start = any(%s) and (dirty or %s) order by start""",
        [cluster, list(hours), anyway],
    )
    return [Due(*row) for row in cursor.fetchall()]


def portions(windows: Iterable[Due], *, most: int) -> Iterator[list[Due]]:
    """The windows in groups of at most that many rows; one alone may have more."""
    group: list[Due] = []
    for each in windows:
        if group and sum(kept.rows for kept in group) + each.rows > most:
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _made(cursor, book: Book, hours: Sequence[tuple[datetime, datetime]]) -> dict[datetime, ledger.Made]:
    found = reading.read_hours(cursor, book.cluster.id, hours)
    spans = [(int(start.timestamp()), int(until.timestamp())) for start, until in hours]
    return {start: Hour(book, each, *span).made() for (start, _), span, each in zip(hours, spans, found, strict=True)}
