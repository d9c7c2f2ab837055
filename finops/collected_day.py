"""The last day that was collected and accounted: who held GPUs, and which GPUs there were."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db import connection

from finops.accounting.candidates import Held
from finops.accounting.ownership import Claim
from finops.accounting.rates import Asked
from finops.scope import Window

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Model:
    """GPUs that one price holds for; `gpu_hours` of capacity in the day."""

    asked: Asked
    nodes: int
    gpu_hours: Decimal


def day() -> Window | None:
    """The 24 hours up to the youngest hour that is over and in the ledger, fewer where the ledger is younger; None before the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select min(start), coalesce(max("end") filter (where state = 'done'), max("end"))
               from collection_window where accounted_at is not null and capacity_gpu_hours > 0"""
        )
        first, end = cursor.fetchone()
    return None if end is None else Window(max(first, end - DAY), end)


def held(window: Window) -> list[Held]:
    """Every pod that held GPUs, with the GPU-hours the ledger has of it and what was last said of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """with sums as (
                 select l.cluster_id, h.uid, h.namespace, h.queue, h.node_pool, sum(l.allocated) as hours
                 from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
                 where l.hour >= %(start)s and l.hour < %(end)s and h.uid <> '' group by 1, 2, 3, 4, 5),
               said as (
                 select distinct on (cluster_id, uid) cluster_id, uid, label_runs, namespace_label_runs
                 from pod_hour where hour >= %(start)s and hour < %(end)s order by cluster_id, uid, hour desc)
               select namespace, queue, node_pool, hours, label_runs, namespace_label_runs
               from sums left join said using (cluster_id, uid) order by namespace, uid""",
            {"start": window.start, "end": window.end},
        )
        rows = cursor.fetchall()
    return [Held(_claim(*about, _last(own), _last(space)), hours) for *about, hours, own, space in rows]


def models(window: Window) -> list[Model]:
    """Every GPU model by what a price may depend on, most GPU-hours first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select c.name, node_pool, instance_type, capacity_type, gpu_model, count(distinct node), sum(capacity)
               from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
                 join finops_cluster c on c.id = l.cluster_id
               where l.hour >= %s and l.hour < %s and l.capacity > 0 group by 1, 2, 3, 4, 5 order by 7 desc, 5, 4, 1, 2, 3""",
            [window.start, window.end],
        )
        return [Model(Asked(*row[:5]), *row[5:]) for row in cursor.fetchall()]


def _claim(namespace: str, queue: str, pool: str, own: dict, space: dict) -> Claim:
    return Claim(namespace, own.get("labels", {}), own.get("annotations", {}), space.get("labels", {}), queue, pool)


def _last(runs: str | dict | Sequence[dict] | None) -> dict:
    """What was said last, of labels that may have changed within the hour."""
    found = json.loads(runs) if isinstance(runs, str) else runs
    return found[-1] if isinstance(found, list) else found or {}
