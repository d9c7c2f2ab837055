"""How the product itself is doing: counts and instants that name no cluster, no team and no problem."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from finops.queries import watermark
from finops.scope import Scope, Window

COUNTED = """
select (select count(*) from finops_cluster where ended_at is null),
    count(*) filter (where state in ('missing', 'leased')), count(*) filter (where state = 'failed'), count(*) filter (where dirty),
    max(collected_at), max(accounted_at)
from collection_window w join finops_cluster c on c.id = w.cluster_id where c.ended_at is null"""
MIGRATED = (
    "select app, max(substring(name from '^[0-9]+')::int) from django_migrations where app in ('finops', 'reports') group by 1 order by 1"
)


@dataclass(frozen=True, slots=True)
class Health:
    """`waiting`, `failed`, `unaccounted`: hours of all clusters that are collected. `watermark`: up to where the data of every such
    cluster reach. `schema`: app → its last applied migration. An instant that does not exist is None."""

    clusters: int
    waiting: int
    failed: int
    unaccounted: int
    watermark: datetime | None
    collected_at: datetime | None
    accounted_at: datetime | None
    schema: dict[str, int]


def health(*, now: datetime) -> Health:
    """Raises DatabaseError where the database does not answer."""
    mark = watermark(Scope(Window(now - timedelta(hours=1), now)))
    with connection.cursor() as cursor:
        cursor.execute(COUNTED)
        clusters, waiting, failed, unaccounted, collected, accounted = cursor.fetchone()
        cursor.execute(MIGRATED)
        return Health(clusters, waiting, failed, unaccounted, mark, collected, accounted, dict(cursor.fetchall()))
