"""The schedule's work: every task is a hint, PostgreSQL knows what is due and whose turn it is."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from celery import shared_task
from celery.utils.log import get_task_logger
from django.db import DatabaseError, InterfaceError, connection

from finops.models import Cluster
from finops.times import now
from ingest import scrapes
from ingest import trial as trials
from ingest.catch_up import catch_up
from ingest.sources import SourceError
from ingest.windows import Lane

log = get_task_logger(__name__)
TURN = 60.0  # seconds after which a lane lets the other clusters pass


@shared_task(time_limit=60)
def plan(**kwargs: object) -> None:
    """One hint per cluster and lane, newest hours first; in another order each time, since the last in it may expire unread."""
    names = list(Cluster.objects.filter(ended_at=None).order_by("?").values_list("name", flat=True))
    for lane in ("newest", "oldest"):
        for name in names:
            _hint(name, lane)


@shared_task(time_limit=900)
def work(*, cluster: str, lane: Lane, **kwargs: object) -> None:
    """One lane of one cluster for one turn, unless another worker is at it; comes again while hours are due."""
    row = Cluster.objects.filter(name=cluster, ended_at=None).first()
    with _alone(f"{lane} {cluster}") as ours:
        if row is None or not ours:
            return
        try:
            problems, waiting = catch_up(row, lane=lane, seconds=TURN)
        except SourceError as error:
            problems, waiting = [f"cluster {cluster}: {error}"], 0
    for line in problems:
        log.warning(line)
    if waiting and not problems:
        _hint(cluster, lane)


@contextmanager
def _alone(name: str) -> Iterator[bool]:
    """Whether nobody else is at it; the lock goes with this process' connection, so a dead worker holds nobody up."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(hashtext(%s))", [name])
        ours = cursor.fetchone()[0]
    try:
        yield ours
    finally:
        with suppress(DatabaseError, InterfaceError):  # lost with its lock, if it is lost
            if ours:
                connection.cursor().execute("select pg_advisory_unlock(hashtext(%s))", [name])


def _hint(cluster: str, lane: Lane) -> None:
    work.apply_async(kwargs={"cluster": cluster, "lane": lane}, expires=280)


@shared_task(time_limit=60)
def scrape(**kwargs: object) -> None:
    """One hint per cluster that is scraped directly."""
    for name in Cluster.objects.filter(ended_at=None, source__has_key="exporters").values_list("name", flat=True):
        scrape_cluster.apply_async(kwargs={"cluster": name}, expires=50)


@shared_task(time_limit=55)
def scrape_cluster(*, cluster: str, **kwargs: object) -> None:
    """Every page of a cluster once."""
    row = Cluster.objects.get(name=cluster)
    for line in scrapes.scrape(row, now=now()):
        log.warning(line)
    scrapes.prune(row, now=now())


@shared_task(time_limit=150, soft_time_limit=120)
def examine(*, trial: int, **kwargs: object) -> None:
    """What a source holds that somebody named in the browser; asked again it does no harm."""
    trials.run(trial)
