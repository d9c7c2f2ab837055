"""The typed content of a configuration file. ``None`` is absent; an empty tuple is an empty list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from finops.accounting.instance_price import Weights
from finops.accounting.rates import Rate

TeamKind = Literal["from_pod_label", "from_namespace_label", "from_pod_annotation", "match", "describe"]


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """One unit of ``currency`` is ``rate`` units of the reporting currency from ``start`` (UTC) on."""

    currency: str
    rate: Decimal
    start: datetime


@dataclass(frozen=True, slots=True)
class PrometheusSpec:
    """``timeout`` in seconds; credentials only as names of environment variables."""

    url: str
    match: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    bearer_token_env: str | None = None
    basic_auth_env: str | None = None
    ca_file: str | None = None
    timeout: float | None = None
    max_parallel: int | None = None


class DcgmEndpoint(NamedTuple):
    """A DCGM exporter and the node it stands on, where the file says so."""

    url: str
    node: str | None = None


@dataclass(frozen=True, slots=True)
class ExportersSpec:
    """Exporters scraped directly."""

    dcgm: tuple[DcgmEndpoint, ...]
    kube_state_metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenMetricsSpec:
    """A file of OpenMetrics text."""

    path: str


Source = PrometheusSpec | ExportersSpec | OpenMetricsSpec


@dataclass(frozen=True, slots=True)
class NodePoolSpec:
    """``name`` is a glob; of several entries the first that matches a pool decides."""

    name: str
    unallocated_policy: str


@dataclass(frozen=True, slots=True)
class GpuResourceSpec:
    """A resource of another maker that counts as GPUs, or that does not (`ignore`)."""

    resource: str
    model_label: str | None = None
    gpu_model: str | None = None
    units_per_gpu: int | None = None
    ignore: bool | None = None


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """``scrape_interval`` in seconds."""

    name: str
    source: Source
    scrape_interval: float | None = None
    node_pool_label: str | None = None
    user_label: str | None = None
    unallocated_policy: str | None = None
    node_pools: tuple[NodePoolSpec, ...] | None = None
    gpu_resources: tuple[GpuResourceSpec, ...] | None = None


@dataclass(frozen=True, slots=True)
class TeamRule:
    """``match``: ``namespace, queue, node_pool`` → glob; ``pod_label, pod_annotation, namespace_label``
    → {label: glob}. Valid in [start, end), UTC."""

    kind: TeamKind
    name: str | None = None
    label: str | None = None
    match: Mapping[str, str | Mapping[str, str]] | None = None
    start: datetime | None = None
    end: datetime | None = None
    cost_center: str | None = None
    owner: str | None = None
    parent: str | None = None
    department: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class WeightsSpec:
    """What divides an instance's price: per GPU, per vCPU, per GiB; an absent one keeps its documented default."""

    gpu: Decimal | None = None
    cpu: Decimal | None = None
    memory: Decimal | None = None

    def texts(self) -> dict[str, str]:
        """The weights that are present, as they are stored."""
        present = {"gpu": self.gpu, "cpu": self.cpu, "memory": self.memory}
        return {key: f"{weight.normalize():f}" for key, weight in present.items() if weight is not None}


def _shown(amount: Decimal | None) -> str:
    """A price as people write it, whether it comes from a file or, with ten decimals, from the database."""
    whole, _, part = f"{amount:f}".partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"


@dataclass(frozen=True, slots=True)
class RateSpec:
    """``price`` per GPU-hour or else ``instance_price`` per hour of a whole instance, in ``currency``, valid in [start, end), UTC.
    ``line`` is not compared."""

    cluster: str | None
    node_pool: str | None
    instance_type: str | None
    capacity_type: str | None
    gpu_model: str | None
    price: Decimal | None
    currency: str
    start: datetime | None = None
    end: datetime | None = None
    instance_price: Decimal | None = None
    weights: WeightsSpec | None = None
    line: int = field(default=0, compare=False)

    @property
    def amount(self) -> Decimal:
        """The price that is given, of whichever kind."""
        return next(price for price in (self.price, self.instance_price) if price is not None)

    def __str__(self) -> str:
        """One line for people: ``T4 0.60 CHF``, ``p4d.24xlarge 21.957642 USD per instance-hour``."""
        if self.instance_price is None:
            return f"{self.gpu_model or 'any model'} {_shown(self.price)} {self.currency}"
        return f"{self.gpu_model or self.instance_type or self.node_pool} {_shown(self.instance_price)} {self.currency} per instance-hour"

    def as_rate(self) -> Rate:
        """As the arithmetic takes it, in its own currency."""
        texts = self.weights.texts() if self.weights else {}
        return Rate(
            self.price, self.gpu_model or "", self.cluster or "", self.node_pool or "", self.instance_type or "", self.capacity_type or "",
            self.start, self.end, self.instance_price, Weights(**{key: Decimal(text) for key, text in texts.items()}),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class BudgetSpec:
    """``amount`` per ``period`` in the reporting currency; ``alert_at`` are fractions of it, rising."""

    team: str
    period: str
    amount: Decimal
    alert_at: tuple[Decimal, ...] = ()
    forecast: bool = False


@dataclass(frozen=True, slots=True)
class CostSpikeSpec:
    """``above_weekly_mean`` is a fraction (0.20 = 20 %); ``minimum_cost`` in the reporting currency."""

    above_weekly_mean: Decimal | None = None
    minimum_cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class LowUtilisationSpec:
    """``below`` is a fraction; ``duration`` (the key ``for``) in seconds."""

    below: Decimal | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True)
class AlertsSpec:
    """Thresholds of the built-in rules."""

    cost_spike: CostSpikeSpec | None = None
    low_utilisation: LowUtilisationSpec | None = None


@dataclass(frozen=True, slots=True)
class WeeklySpec:
    """The weekly e-mail: ``hour`` 0 to 23 in the reporting zone; ``teams``: one to each team's owner too."""

    day: str
    hour: int
    to: tuple[str, ...]
    teams: bool = False


@dataclass(frozen=True, slots=True)
class ReportsSpec:
    """Reports sent by e-mail."""

    weekly: WeeklySpec | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A whole file. ``None`` is an absent section (stays as it is), ``()`` an empty one (all entries end)."""

    currency: str | None = None
    timezone: str | None = None
    week_starts: str | None = None
    exchange_rates: tuple[ExchangeRate, ...] | None = None
    clusters: tuple[ClusterSpec, ...] | None = None
    teams: tuple[TeamRule, ...] | None = None
    rates: tuple[RateSpec, ...] | None = None
    budgets: tuple[BudgetSpec, ...] | None = None
    alerts: AlertsSpec | None = None
    reports: ReportsSpec | None = None

    def not_in_force(self) -> tuple[str, ...]:
        """Sections that are present and validated but do nothing yet."""
        return tuple(name for name in ("budgets", "alerts", "reports") if getattr(self, name) is not None)
