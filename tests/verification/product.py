"""The product on the same worlds: its own path from a source's samples to what its queries answer."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from django.db import connection, transaction

from finops import pipeline
from finops.accounting.calendar import hours
from finops.models import Cluster, Rate, Setting, TeamRule
from finops.queries import Row, costs
from finops.scope import Scope, Window
from ingest.collect import collect
from ingest.sources import Samples
from ingest.sources.held import Held
from tests.fleet import commit
from tests.verification.told import Series, Told

KEYS = ("team", "job", "pod", "node", "node_pool")
LEDGER = """select c.name, l.hour, l.since, l.holding, (to_jsonb(h) - 'cluster_id')::text, (to_jsonb(l) - 'cluster_id')::text
            from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
            join finops_cluster c on c.id = l.cluster_id order by 1, 2, 3, 4"""


def moment(second: int | None) -> datetime | None:
    return None if second is None else datetime.fromtimestamp(second, UTC)


def configure(told: Told) -> None:
    """Settings, rates and rules, the same for every cluster."""
    Setting.objects.create(currency="CHF", timezone=told.zone)
    for rate in told.rates:
        Rate.objects.create(
            price=f"{float(rate.price):.2f}", currency="CHF", gpu_model=rate.model, node_pool=rate.pool, cluster=rate.cluster,
            capacity_type=rate.capacity_type, start=moment(rate.start), end=moment(rate.end),
        )  # fmt: skip
    for place, rule in enumerate(told.rules):
        more = {"label": rule.key} if rule.kind == "from_pod_label" else {"name": rule.name, "match": {rule.kind: rule.key}}
        kind = rule.kind if rule.kind == "from_pod_label" else "match"
        TeamRule.objects.create(position=place, kind=kind, start=moment(rule.start), end=moment(rule.end), **more)


def source(series: Sequence[Series]) -> Held:
    """The series as a source that a cluster is collected from."""
    series = [each for each in series if each.samples]
    place = np.repeat(np.arange(len(series), dtype=np.int32), [len(each.samples) for each in series])
    time, value = np.array([sample for each in series for sample in each.samples], float).reshape(-1, 2).T
    labels = [{"__name__": each.name, **each.labels} for each in series]
    return Held(lambda start, end: Samples(labels, place, time, value).between(start, end))


def collected(told: Told, *, pieces: Iterable[Iterable[int]] | None = None) -> Cluster:
    """The cluster with its hours collected, by `pieces` of neighbouring hours, and accounted after each."""
    row, _ = Cluster.objects.get_or_create(name=told.cluster, defaults={"source": {}, "scrape_interval": told.interval})
    first, end = moment(told.first), moment(told.end)
    every = list(hours(first, end, zone=ZoneInfo(told.zone)))
    assert every[0][0] == first and every[-1][1] == end and len(every) == told.hours
    held = source(told.series)
    for piece in pieces or [range(told.hours)]:
        assert collect(row, [every[n] for n in piece], source=held, until=end, settled=end) == []
        commit()
        pipeline.account(row)
        commit()
    return row


def answered(told: Told) -> dict[tuple, Row]:
    """What the query layer says of every hour of the cluster, by the accountant's keys."""
    window = Window(moment(told.first), moment(told.end))
    answer = costs(Scope(window, KEYS, "hour", {"cluster": (told.cluster,)}))
    assert answer.balanced
    return {(row.period_start.astimezone(UTC), *(row.keys[key] for key in KEYS)): row for row in answer.rows}


def ledger() -> list[tuple]:
    """Every stored line, with whose it is."""
    with connection.cursor() as cursor:
        cursor.execute(LEDGER)
        return cursor.fetchall()


@contextmanager
def example() -> Iterator[None]:
    """The database is afterwards as it was before."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
