"""The database's configuration as the file's own content; `budgets`, `alerts` and `reports` are absent."""

from datetime import UTC, datetime

from finops import policies
from finops.configuration.fields import overlapping
from finops.configuration.prices import selector
from finops.configuration.specs import (
    ClusterSpec,
    Configuration,
    DcgmEndpoint,
    ExchangeRate,
    ExportersSpec,
    OpenMetricsSpec,
    PrometheusSpec,
    RateSpec,
    Source,
    TeamRule,
)
from finops.models import Cluster, Setting
from finops.models import ExchangeRate as ExchangeRateRow
from finops.models import Rate as RateRow
from finops.models import TeamRule as TeamRuleRow

RULE_TEXTS = "name label cost_center owner parent department".split()
RATE_TEXTS = "cluster node_pool instance_type capacity_type gpu_model".split()


def configuration(*, now: datetime) -> Configuration:
    """What `apply` accepts and finds nothing to change in. Ended clusters, and rates whose past another rewrites, are left out."""
    row = Setting.objects.first() or Setting()
    return Configuration(
        currency=row.currency, timezone=row.timezone, week_starts=row.week_starts, clusters=_clusters(), teams=_teams(),
        rates=_rates(now), exchange_rates=tuple(ExchangeRate(row.currency, row.rate.normalize(), _utc(row.start))
                                                for row in ExchangeRateRow.objects.order_by("currency", "start")))


def _clusters() -> tuple[ClusterSpec, ...]:
    return tuple(ClusterSpec(row.name, source_of(row.source), row.scrape_interval, row.node_pool_label or None,
                             row.user_label or None, *policies.written(row))
                 for row in Cluster.objects.filter(ended_at=None).order_by("id"))


def source_of(stored: dict) -> Source:
    """The typed source of a cluster's row."""
    kind, fields = next(iter(stored.items()))
    if kind == "exporters":
        endpoints = tuple(DcgmEndpoint(*endpoint) for endpoint in fields["dcgm"])
        return ExportersSpec(endpoints, tuple(fields["kube_state_metrics"]))
    return OpenMetricsSpec(**fields) if kind == "openmetrics" else PrometheusSpec(**fields)


def _teams() -> tuple[TeamRule, ...]:
    return tuple(TeamRule(row.kind, match=row.match or None, start=_utc(row.start), end=_utc(row.end),
                          **{name: getattr(row, name) or None for name in RULE_TEXTS})
                 for row in TeamRuleRow.objects.order_by("position"))


def _rates(now: datetime) -> tuple[RateSpec, ...]:
    """Every rate in force or to come; ended ones, latest first, where they fit: a file holds one price per moment."""
    rows = list(RateRow.objects.order_by("id"))
    live = [row for row in rows if row.end is None or row.end > now]
    kept = [(row.pk, rate_of(row)) for row in live]
    for row in reversed([row for row in rows if row not in live]):
        rate = rate_of(row)
        empty = rate.start is not None and rate.end is not None and rate.start >= rate.end
        if not empty and not any(_clash(rate, other) for _, other in kept):
            kept.append((row.pk, rate))
    return tuple(rate for _, rate in sorted(kept, key=lambda pair: pair[0]))


def _clash(one: RateSpec, other: RateSpec) -> bool:
    return selector(one) == selector(other) and overlapping((one.start, one.end), (other.start, other.end))


def rate_of(row: RateRow) -> RateSpec:
    """A stored rate as the file's own."""
    return RateSpec(price=row.price.normalize(), currency=row.currency, start=_utc(row.start), end=_utc(row.end),
                    **{name: getattr(row, name) or None for name in RATE_TEXTS})


def _utc(moment: datetime | None) -> datetime | None:
    return moment and moment.astimezone(UTC)
