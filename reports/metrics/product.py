"""The product's own health, which anybody who reaches the address may read: no name of a cluster, team or fault is in it."""

from datetime import datetime

from django.db import DatabaseError
from prometheus_client import Metric

from finops.health import Health, health
from finops.release import VERSION
from reports.metrics.exposition import gauge


def families(*, now: datetime) -> list[Metric]:
    """Without a database the version, and that there is none."""
    info = gauge("finops_build_info", "The version that answers; always 1.", [({"version": VERSION}, 1)])
    try:
        found = health(now=now)
    except DatabaseError:
        return [info, _answers(0)]
    return [info, _answers(1), *_of(found)]


def _answers(value: int) -> Metric:
    return gauge("finops_database_up", "1 where the database answers.", [({}, value)])


def _of(found: Health) -> list[Metric]:
    windows = [({"state": "waiting"}, found.waiting), ({"state": "failed"}, found.failed)]
    return [
        gauge("finops_schema_version", "The last applied migration of each app.", [({"app": a}, n) for a, n in found.schema.items()]),
        gauge("finops_clusters", "Clusters that are collected.", [({}, found.clusters)]),
        gauge(
            "finops_watermark_timestamp_seconds",
            "Up to where the data of every cluster reach: of the cluster that is furthest behind.",
            [({}, found.watermark)],
        ),
        gauge("finops_last_collection_timestamp_seconds", "When an hour was last read from a source.", [({}, found.collected_at)]),
        gauge("finops_last_accounting_timestamp_seconds", "When an hour was last charged.", [({}, found.accounted_at)]),
        gauge("finops_collection_windows", "Hours that wait to be read, and hours whose reading failed and comes again.", windows),
        gauge("finops_unaccounted_windows", "Hours whose facts changed since they were charged.", [({}, found.unaccounted)]),
    ]
