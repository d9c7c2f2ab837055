"""Feeds the database with the company's past: the same way as any source, newest day first."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from urllib.parse import parse_qs, urlsplit

from django.db import connection, transaction

from finops import pipeline
from finops.accounting.calendar import hour_floor, hours
from finops.apply import apply, source_of
from finops.configuration.schema import parse
from finops.models import Cluster
from finops.times import settled
from ingest import scrapes
from ingest.collect import Hour, collect
from ingest.simulator import configuration, side_by_side
from ingest.simulator.simulation import STATE, TARGETS, Simulation
from ingest.simulator.weeks import ZONE, seed_for
from ingest.sources.exporters import targets
from ingest.sources.held import Held

KEPT = timedelta(hours=2, minutes=15)  # of pages, so that the schedule can read the running hour again
MARGIN = timedelta(minutes=10)


def quiet(done: int, whole: int) -> None:
    """No progress is shown."""


class NotEmpty(Exception):
    """The database has clusters, and the demo is not among them."""


def demo_cluster(port: int, *, now: datetime) -> Cluster:
    """The demo's cluster, made with its whole configuration where there is none; later only its addresses follow the port."""
    row = Cluster.objects.filter(name=configuration.NAME, ended_at=None).first()
    if row is None and Cluster.objects.exists():
        raise NotEmpty("this database has clusters of its own; the demo is for an empty one: set FINOPS_DATA_DIR or DATABASE_URL")
    if row is None:
        seed = seed_for(now.timestamp())
        apply(parse(configuration.configuration(port, seed=seed, now=now.timestamp())), now=now)
        return Cluster.objects.get(name=configuration.NAME)
    moved = parse(configuration.clusters(port, seed=seed_of(row))).clusters
    assert moved is not None
    row.source = source_of(moved[0].source)
    row.save(update_fields=["source"])
    return row


def seed_of(cluster: Cluster) -> int:
    """The seed that the addresses of the cluster's exporters carry."""
    url = cluster.source["exporters"]["kube_state_metrics"][0]
    return int(parse_qs(urlsplit(url).query)["seed"][0])


def load(cluster: Cluster, *, days: int, now: datetime, processes: int = 1, progress: Callable[[int, int], None] = quiet) -> list[str]:
    """Collects and accounts the hours of the last days that are not done; returns the problems.

    May be stopped at any time: the next call goes on with what is missing. `progress` is told hours done, and of how many.
    """
    simulation, until = Simulation(seed_of(cluster)), settled(now)
    _hand_over(cluster, simulation, now=now)
    todo, problems, done = due(cluster, days=days, until=until), [], 0
    by_day = [sorted(day) for _, day in groupby(todo, key=lambda hour: hour[0].astimezone(ZONE).date())]
    for count, lines in side_by_side.each(partial(_day, cluster, simulation, until), by_day, processes=processes):
        problems += lines
        done += count
        progress(done, len(todo))
    pipeline.account(cluster)
    return problems


def _day(cluster: Cluster, simulation: Simulation, until: datetime, found: list[Hour]) -> tuple[int, list[str]]:
    held = Held(lambda start, end: simulation.samples(start, min(end, until.timestamp())))  # what comes is known, but not yet told
    problems = collect(cluster, found, source=held, until=until, settled=until)
    pipeline.account(cluster, start=found[0][0], end=found[-1][1])
    return len(found), problems


def due(cluster: Cluster, *, days: int, until: datetime) -> list[Hour]:
    """The hours of the last local days up to `until` that are not done, newest first, and those that stopped half-way.

    An hour that was read while nothing was served has no rows: it is not done either.
    """
    midnight = (until.astimezone(ZONE) - timedelta(days=days)).replace(hour=0, minute=0)
    wanted = dict(hours(midnight.astimezone(UTC), until, zone=ZONE))
    with connection.cursor() as cursor:
        cursor.execute("""select start, "end", state = 'done' and rows > 0 from collection_window where cluster_id = %s""", [cluster.id])
        for start, end, done in cursor.fetchall():
            if done:
                wanted.pop(start, None)
            elif start < until:
                wanted.setdefault(start, end)
    return sorted(wanted.items(), reverse=True)


def _hand_over(cluster: Cluster, simulation: Simulation, *, now: datetime) -> None:
    """Keeps the pages of the last two hours as the schedule would have, and lets it begin with the hours they cover."""
    first = now - KEPT
    with transaction.atomic():
        addresses = {_name(target.url): target.url for target in targets(cluster)}
        for name in set(TARGETS) & set(addresses):
            for at, text in simulation.pages(name, first.timestamp(), now.timestamp()):
                scrapes.keep(cluster, addresses[name], datetime.fromtimestamp(at, UTC), text)
    whole = hour_floor(first + MARGIN + timedelta(hours=1) - timedelta(microseconds=1), zone=ZONE)
    Cluster.objects.filter(pk=cluster.pk).update(first_hour=whole)


def _name(url: str) -> str:
    parts = urlsplit(url).path.strip("/").split("/")
    return STATE if parts[0] == STATE else parts[1]
