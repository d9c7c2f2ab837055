"""Which hours are due, and whose turn each is. PostgreSQL knows; the broker only carries hints.

A window's attempt number is its fence: whoever writes facts must still hold the number it was given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db import connection, transaction

LEASE = timedelta(minutes=16)  # longer than a task may run
FRESH = timedelta(minutes=5)  # the running hour is read again this often
REREADS = (timedelta(hours=3), timedelta(days=3))  # late samples are looked for this long after an hour's end
BACKFILL_BEFORE = timedelta(days=1)
MOST_DEATHS = 3
SHORT_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
HOURS_AT_ONCE = 6
Lane = Literal["newest", "oldest"]

# An hour is due where it was never read, its reading failed and the pause is over, it runs and is stale, or late samples may have come.
DUE = """cluster_id = %(cluster)s and start < %(settled)s and (lease_until is null or lease_until <= %(now)s) and (
    state in ('missing', 'leased', 'failed')
    or state = 'partial' and (%(settled)s >= "end" or %(settled)s >= collected_until + %(fresh)s)
    or state = 'done' and %(late)s and (
        collected_at < "end" + %(soon)s and %(now)s >= "end" + %(soon)s
        or collected_at < "end" + %(last)s and %(now)s >= "end" + %(last)s))"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One window and the attempt it was given to us under."""

    start: datetime
    end: datetime
    attempt: int


class Overtaken(Exception):
    """Another attempt has been made at the window since: what we bring is dropped."""


def plan(cluster: int, hours: Sequence[tuple[datetime, datetime]], *, now: datetime) -> None:
    """Makes the hours that are not there yet; those of more than a day ago are backfill."""
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into collection_window (cluster_id, start, "end", dirty, backfill)
               select %s, start, until, false, until < %s from unnest(%s::timestamptz[], %s::timestamptz[]) as hour(start, until)
               on conflict do nothing""",
            [cluster, now - BACKFILL_BEFORE, [start for start, _ in hours], [end for _, end in hours]],
        )


def due(cluster: int, *, now: datetime, settled: datetime, late: bool) -> int:
    """How many windows wait for somebody."""
    with connection.cursor() as cursor:
        cursor.execute(f"select count(*) from collection_window where {DUE}", _asked(cluster, now, settled, late))
        return cursor.fetchone()[0]


def watermark(cluster: int) -> datetime | None:
    """The first hour that is not done, a backfill's left aside; None where no hour is known."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select coalesce(min(start) filter (where state <> 'done' and not backfill), max("end") filter (where state = 'done'))
               from collection_window where cluster_id = %s""",
            [cluster],
        )
        return cursor.fetchone()[0]


def claim(cluster: int, *, lane: Lane, owner: str, now: datetime, settled: datetime, late: bool) -> list[Claim]:
    """The next few neighbouring due windows of a lane, now ours until the lease ends. One that failed before comes alone.

    A lease that ran out without a word counts as a failure: its worker died. After three deaths the window rests.
    """
    order = "desc" if lane == "newest" else "asc"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"""select start, "end", attempt, failures, owner <> ''
                from collection_window where {DUE} order by start {order} limit {HOURS_AT_ONCE} for update skip locked""",
            _asked(cluster, now, settled, late),
        )
        found: list[Claim] = []
        for start, end, attempt, failures, died in cursor.fetchall():
            troubled = failures + died
            apart = found and (found[-1].start != end if lane == "newest" else found[-1].end != start)
            if found and (troubled or apart):
                break
            if died and troubled >= MOST_DEATHS:
                _rest(cursor, cluster, start, now=now, failures=troubled)
                continue
            cursor.execute(
                """update collection_window set attempt = attempt + 1, lease_until = %s, owner = %s, failures = failures + %s,
                     state = case when state in ('missing', 'failed') then 'leased' else state end
                   where cluster_id = %s and start = %s""",
                [now + LEASE, owner, int(died), cluster, start],
            )
            found.append(Claim(start, end, attempt + 1))
            if troubled:
                break
    return sorted(found, key=lambda claimed: claimed.start)


def take(cluster: int, hours: Sequence[tuple[datetime, datetime]], *, owner: str, now: datetime) -> list[Claim]:
    """These hours, whoever has them: a person's order goes before the schedule's."""
    plan(cluster, hours, now=now)
    with connection.cursor() as cursor:
        cursor.execute(
            """update collection_window set attempt = attempt + 1, lease_until = %s, owner = %s
               where cluster_id = %s and start = any(%s) returning start, "end", attempt""",
            [now + LEASE, owner, cluster, [start for start, _ in hours]],
        )
        return sorted((Claim(*row) for row in cursor.fetchall()), key=lambda claimed: claimed.start)


def failed(cluster: int, claims: Sequence[Claim], problem: str, *, now: datetime) -> None:
    """Notes why; what was stored stays, and the window comes again after a pause that doubles up to an hour."""
    with connection.cursor() as cursor:
        for claimed in claims:
            cursor.execute(
                """update collection_window set problem = %s, failures = failures + 1, owner = '',
                     lease_until = %s + least(%s * 2 ^ least(failures, 6), %s),
                     state = case when collected_until is null or state = 'failed' then 'failed' else state end
                   where cluster_id = %s and start = %s and attempt = %s""",
                [_told(problem), now, SHORT_PAUSE, LONGEST_PAUSE, cluster, claimed.start, claimed.attempt],
            )


def postponed(cluster: int, claims: Sequence[Claim], problem: str, *, now: datetime) -> None:
    """Gives windows back that nobody could have had, the source or the database being down: it is not counted against them."""
    with connection.cursor() as cursor:
        for claimed in claims:
            cursor.execute(
                """update collection_window set problem = %s, owner = '', lease_until = %s,
                     state = case when collected_until is null then 'failed' else state end
                   where cluster_id = %s and start = %s and attempt = %s and owner <> ''""",
                [_told(problem), now + SHORT_PAUSE, cluster, claimed.start, claimed.attempt],
            )


def forgot(cluster: int, claimed: Claim, problem: str, *, now: datetime) -> None:
    """The source no longer has what is stored of a window: it keeps its facts and its state.

    One that is not whole would be due at once, and again: it rests before it is asked for.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """update collection_window set problem = %s, owner = '', collected_at = %s,
                 lease_until = case when state in ('leased', 'partial') then %s end,
                 state = case when state = 'leased' then 'partial' else state end
               where cluster_id = %s and start = %s and attempt = %s""",
            [_told(problem), now, now + LONGEST_PAUSE, cluster, claimed.start, claimed.attempt],
        )


def _rest(cursor, cluster: int, start: datetime, *, now: datetime, failures: int) -> None:
    cursor.execute(
        """update collection_window set state = case when collected_until is null then 'failed' else state end, failures = %s,
             lease_until = %s, problem = %s, owner = '' where cluster_id = %s and start = %s""",
        [failures, now + LONGEST_PAUSE, f"the worker died {failures} times over this hour; look for memory limits in its log", cluster, start],
    )


def _told(problem: str) -> str:
    """The reason as a column holds it: PostgreSQL's text has no NUL."""
    return problem.replace("\0", "")[:500]


def _asked(cluster: int, now: datetime, settled: datetime, late: bool) -> dict[str, object]:
    soon, last = REREADS
    return {"cluster": cluster, "now": now, "settled": settled, "fresh": FRESH, "late": late, "soon": soon, "last": last}
