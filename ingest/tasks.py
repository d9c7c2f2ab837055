"""The schedule's work: every task is a hint, PostgreSQL knows what is due and whose turn it is."""

from datetime import UTC, datetime

from celery import shared_task
from celery.utils.log import get_task_logger
from django.db import connection

from finops.models import Cluster
from ingest import scrapes
from ingest import trial as trials
from ingest.catch_up import catch_up
from ingest.sources import SourceError
from ingest.windows import Lane

log = get_task_logger(__name__)
TURN = 120.0  # seconds after which a lane lets the other clusters pass


@shared_task(time_limit=60)
def plan(**kwargs: object) -> None:
    """One hint per cluster and lane."""
    for name in Cluster.objects.filter(ended_at=None).values_list("name", flat=True):
        for lane in ("newest", "oldest"):
            work.apply_async(kwargs={"cluster": name, "lane": lane}, expires=280)


@shared_task(time_limit=900)
def work(*, cluster: str, lane: Lane, **kwargs: object) -> None:
    """One lane of one cluster for one turn, unless another worker is at it; comes again while hours are due."""
    row = Cluster.objects.filter(name=cluster, ended_at=None).first()
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(hashtext(%s))", [f"{lane} {cluster}"])
        if not cursor.fetchone()[0] or row is None:
            return
        try:
            problems, waiting = catch_up(row, lane=lane, seconds=TURN)
        except SourceError as error:
            problems, waiting = [str(error)], 0
        finally:
            cursor.execute("select pg_advisory_unlock(hashtext(%s))", [f"{lane} {cluster}"])
    for line in problems:
        log.warning(line)
    if waiting and not problems:
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
    for line in scrapes.scrape(row, now=datetime.now(UTC)):
        log.warning(line)
    scrapes.prune(row, now=datetime.now(UTC))


@shared_task(time_limit=150, soft_time_limit=120)
def examine(*, trial: int, **kwargs: object) -> None:
    """What a source holds that somebody named in the browser; asked again it does no harm."""
    trials.run(trial)
