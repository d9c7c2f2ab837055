"""The ledger's totals of this month and of yesterday, of what one reader may see.

Gauges of a stated period, not counters: figures are revised (late samples, a new price, a month charged again), and what falls once
looks to rate() like a restart, which would count the whole again. A gauge that falls is just the better figure.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from prometheus_client import Metric

from finops.accounting.calendar import local_day, midnight
from finops.queries import Row, currency, rows_of, zone
from finops.scope import Scope, Window
from finops.selection import BUCKETS
from reports.metrics.exposition import gauge
from reports.metrics.totals import KEYS, MOST, folded, named

Sample = tuple[dict[str, str], Decimal | None]
LIMITS = f"At most {MOST['team']} teams, {MOST['node_pool']} pools and {MOST['gpu_model']} models by cost; the rest is other."


def families(scope: Scope, *, now: datetime) -> list[Metric]:
    """`scope`: what the reader may see; the periods' windows take the place of its own."""
    found = {name: rows_of(replace(scope, window=window, group_by=KEYS)) for name, window in _periods(now).items()}
    every = [row for rows in found.values() for row in rows]
    names = {key: named(every, key=key, most=most) for key, most in MOST.items()}  # the same in each period
    rows = {name: folded(rows, names=names) for name, rows in found.items()}
    unit = {"currency": currency()}
    return [
        gauge("finops_ledger_gpuhours", f"GPU-hours of the period by what became of them. {LIMITS}", _parts(rows, "{}")),
        gauge("finops_ledger_cost", f"What these hours cost, where they have a price. {LIMITS}", _parts(rows, "{}_cost", more=unit)),
        gauge("finops_ledger_unpriced_gpuhours", "GPU-hours of the period without a price; no cost counts them.", _unpriced(rows)),
    ]


def _periods(now: datetime) -> dict[str, Window]:
    """Whole local days, so that the roll-ups answer; the hours to come are empty."""
    where = zone()
    today = local_day(now, zone=where)
    first, yesterday, today, tomorrow = (
        midnight(day, zone=where) for day in (today.replace(day=1), today - timedelta(days=1), today, today + timedelta(days=1))
    )
    return {"month": Window(first, tomorrow), "yesterday": Window(yesterday, today)}


def _each(rows: Mapping[str, Iterable[Row]]) -> Iterator[tuple[dict[str, str], Row]]:
    for period, of_period in rows.items():
        for row in of_period:
            yield {"period": period, **row.keys}, row


def _parts(rows: Mapping[str, Iterable[Row]], figure: str, *, more: Mapping[str, str] | None = None) -> Iterator[Sample]:
    for labels, row in _each(rows):
        for bucket in _buckets(row):
            yield {**labels, "bucket": bucket, **(more or {})}, row.sums[figure.format(bucket)]


def _buckets(row: Row) -> list[str]:
    """What nobody held has no use, and what a team held is not unallocated: such zeros would only be series."""
    free = row.keys["team"] == "unallocated"
    return [bucket for bucket in BUCKETS if row.hours(bucket) or (bucket == "unallocated") == free]


def _unpriced(rows: Mapping[str, Iterable[Row]]) -> Iterator[Sample]:
    return ((labels, row.sums["unpriced"]) for labels, row in _each(rows))
