"""How far collection has come, cluster by cluster: what is done, what waits, what went wrong, what it costs the source."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from finops.models import Cluster
from finops.times import settled

LATELY = timedelta(minutes=5)
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Lane:
    """Hours that are over. `backfill`: they were over a day old when they were planned. `left`: time left at the pace of the
    last minutes, None where nothing moved; `newest`: the end of the youngest hour that is done."""

    backfill: bool
    total: int
    done: int
    failed: int
    newest: datetime | None
    lately: int
    left: timedelta | None

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.failed


@dataclass(frozen=True, slots=True)
class Trouble:
    """Hours in a row that share a problem."""

    start: datetime
    end: datetime
    hours: int
    state: str
    problem: str
    again_at: datetime | None


@dataclass(frozen=True, slots=True)
class Load:
    """What one hour's window asks of the source on average: questions, bytes of answers, seconds of its time."""

    windows: int
    questions: float
    bytes: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Progress:
    """`running`: an hour that is not over is planned; it is read again and again."""

    lanes: tuple[Lane, ...]
    running: bool
    troubles: tuple[Trouble, ...]
    further: int
    load: Load | None

    @property
    def working(self) -> bool:
        """Hours that are over still wait."""
        return any(lane.done < lane.total for lane in self.lanes)


def clusters() -> list[Cluster]:
    """Those that are collected, in the order they came."""
    return list(Cluster.objects.filter(ended_at=None).order_by("id"))


def cluster(name: str) -> Cluster | None:
    """The cluster of that name, ended or not."""
    return Cluster.objects.filter(name=name).first()


def progress(cluster: Cluster, *, now: datetime) -> Progress:
    """Where collection of one cluster stands."""
    troubles = _troubles(cluster.id, now=now)
    lanes, running = tuple(_lanes(cluster.id, now=now)), _running(cluster.id, now=now)
    return Progress(lanes, running, tuple(troubles[:SHOWN]), max(0, len(troubles) - SHOWN), _load(cluster.id))


def _running(cluster: int, *, now: datetime) -> bool:
    with connection.cursor() as cursor:
        cursor.execute('select exists (select from collection_window where cluster_id = %s and "end" > %s)', [cluster, settled(now)])
        return cursor.fetchone()[0]


def _lanes(cluster: int, *, now: datetime) -> list[Lane]:
    with connection.cursor() as cursor:
        cursor.execute(
            """select backfill, count(*), count(*) filter (where state in ('done', 'gap_accepted')), count(*) filter (where state = 'failed'),
                 max("end") filter (where state = 'done'), count(*) filter (where state = 'done' and collected_at > %(since)s),
                 min(collected_at) filter (where collected_at > %(since)s)
               from collection_window where cluster_id = %(cluster)s and "end" <= %(settled)s group by 1 order by 1""",
            {"cluster": cluster, "settled": settled(now), "since": now - LATELY},
        )
        return [_lane(*row, now=now) for row in cursor.fetchall()]


def _lane(
    backfill: bool, total: int, done: int, failed: int, newest: datetime | None, lately: int, since: datetime | None, *, now: datetime
) -> Lane:
    waiting = total - done
    moved = since is not None and lately and waiting
    left = (now - since) * waiting / lately if moved else None
    return Lane(backfill, total, done, failed, newest, lately, left)


def _troubles(cluster: int, *, now: datetime) -> list[Trouble]:
    """Youngest first; neighbouring hours with the same words are one entry."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select start, "end", state, problem, lease_until from collection_window
               where cluster_id = %s and start < %s and problem <> '' order by start desc""",
            [cluster, now],
        )
        found: list[Trouble] = []
        for start, end, state, problem, again in cursor.fetchall():
            last = found[-1] if found else None
            if last and (last.start, last.state, last.problem) == (end, state, problem):
                found[-1] = Trouble(start, last.end, last.hours + 1, state, problem, again)
            else:
                found.append(Trouble(start, end, 1, state, problem, again))
    return found


def _load(cluster: int) -> Load | None:
    with connection.cursor() as cursor:
        cursor.execute(
            """select count(*), avg(questions)::float, avg(source_bytes)::float, avg(source_seconds) from (
                 select questions, source_bytes, source_seconds from collection_window
                 where cluster_id = %s and collected_at is not null and questions > 0 order by collected_at desc limit 24) as latest""",
            [cluster],
        )
        windows, *means = cursor.fetchone()
    return Load(windows, *means) if windows else None
