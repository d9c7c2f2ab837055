"""A window's ledger made anew: ordered once in the database, then shared by days among processes and whoever else accounts."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from signal import Signals

from django.db import InterfaceError, OperationalError, connection, transaction

from finops import pipeline
from finops.accounting.runs import Failed
from finops.models import Cluster
from finops.pipeline import Day
from finops.processes import Died, each
from finops.scope import Window


@dataclass(frozen=True, slots=True)
class Order:
    """`since`: when it was given, None where just now; `due`: its days with hours that are due still; `hours`: all it has."""

    cluster: Cluster
    window: Window
    since: datetime | None
    hours: int
    due: list[Day]


@dataclass(frozen=True, slots=True)
class Turn:
    """A day in somebody's hands; `wait`: until nobody else is at it; `deaths`: processes that died over it."""

    day: Day
    wait: bool = False
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """`busy`: somebody else is at it; `away`: the database is, why."""

    hours: int = 0
    gpu_hours: Decimal = Decimal(0)
    failed: tuple[Failed, ...] = ()
    busy: bool = False
    away: str = ""


@dataclass(slots=True)
class Sum:
    """Hours accounted here and their GPU-hours, hours looked at by now, and what failed."""

    hours: int = 0
    gpu_hours: Decimal = Decimal(0)
    seen: int = 0
    failed: list[Failed] = field(default_factory=list)


class Away(Exception):
    """The database cannot be had any more."""


def ordered(clusters: Iterable[Cluster], window: Window) -> list[Order]:
    """The window's hours of each cluster marked as due, unless the same order is open still: then it goes on."""
    return [_ordered(cluster, window) for cluster in clusters]


def _ordered(cluster: Cluster, window: Window) -> Order:
    of = {"cluster": cluster.id, "start": window.start, "end": window.end}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%(cluster)s, 0)", of)  # as collecting does: one at a time marks a cluster's hours
        cursor.execute("""select ordered_at from account_order where cluster_id = %(cluster)s and start = %(start)s and "end" = %(end)s""", of)
        open_since = cursor.fetchone()
        if not open_since:
            cursor.execute("""insert into account_order (cluster_id, start, "end") values (%(cluster)s, %(start)s, %(end)s)""", of)
            cursor.execute(
                """update collection_window set dirty = true, facts_version = facts_version + 1
                   where cluster_id = %(cluster)s and start >= %(start)s and start < %(end)s and collected_until is not null""",
                of,
            )
        cursor.execute(
            """select count(*) from collection_window
               where cluster_id = %(cluster)s and start >= %(start)s and start < %(end)s and collected_until is not null""",
            of,
        )
        (hours,) = cursor.fetchone()
    due = pipeline.due(cluster, start=window.start, end=window.end)
    return Order(cluster, window, open_since and open_since[0], hours, due)


def close(orders: Iterable[Order]) -> None:
    """Orders of which nothing is left to do."""
    with connection.cursor() as cursor:
        for order in orders:
            cursor.execute(
                """delete from account_order where cluster_id = %s and start = %s and "end" = %s""",
                [order.cluster.id, order.window.start, order.window.end],
            )


def run(days: Sequence[Day], *, processes: int, progress: Callable[[Sum], None]) -> Sum:
    """Accounts the days, oldest first; Away where the database goes. What is done by then stays done."""
    turns, found = deque(Turn(day) for day in sorted(days, key=lambda day: (day.date, day.cluster.id))), Sum()
    with closing(each(_turn, turns, processes=min(processes, len(turns)))) as results:
        for turn, outcome in results:
            if again := _again(turn, outcome):
                turns.append(again)
                continue
            if isinstance(outcome, Died):
                outcome = _killed(turn, outcome)
            if outcome.away:
                raise Away(outcome.away)
            found.hours += outcome.hours
            found.gpu_hours += outcome.gpu_hours
            found.failed += outcome.failed
            found.seen += len(turn.day.hours)
            progress(found)
    return found


def _again(turn: Turn, outcome: Outcome | Died) -> Turn | None:
    """A day whose process died is begun once more, in case it was not the day's fault; one that others have is waited for."""
    if isinstance(outcome, Died):
        return None if turn.deaths else replace(turn, deaths=1)
    return replace(turn, wait=True) if outcome.busy else None


def _killed(turn: Turn, died: Died) -> Outcome:
    name = Signals(-died.code).name if died.code is not None and died.code < 0 else f"exit {died.code}"
    why = f"the process that accounted this day ended twice without a word ({name}); look for memory limits in the system's log"
    return Outcome(failed=tuple(Failed(turn.day.cluster.name, hour, why) for hour in turn.day.hours))


def _turn(turn: Turn) -> Outcome:
    try:
        done = pipeline.account_day(turn.day, wait=turn.wait)
    except (OperationalError, InterfaceError) as error:
        if not connection.is_usable():
            return Outcome(away=_told(error))
        done = pipeline.Done(problems=[(hour, error) for hour in turn.day.hours])
    if done is None:
        return Outcome(busy=True)
    failed = tuple(Failed(turn.day.cluster.name, hour, _told(error)) for hour, error in done.problems)
    return Outcome(done.hours, done.gpu_hours, failed)


def _told(error: Exception) -> str:
    """The first line, which says it; further ones are the database's context."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
