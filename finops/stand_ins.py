"""What the price page must know besides the rates: which are list prices, and which currencies have a worth."""

from datetime import UTC, datetime

from finops.models import Cluster, ExchangeRate, Rate, Setting
from finops.price_list import LIST


def models(*, now: datetime) -> list[str]:
    """GPU models whose rate, in force or to come, is a list price."""
    return [row.gpu_model for row in Rate.objects.filter(origin=LIST).order_by("id") if row.end is None or row.end > now]


def currencies() -> set[str]:
    """The reporting currency and those that an exchange rate turns into it."""
    return {(Setting.objects.first() or Setting()).currency, *ExchangeRate.objects.values_list("currency", flat=True)}


def oldest_year(*, now: datetime) -> datetime:
    """The beginning of the year (UTC) that the oldest hour of any cluster is in; of this year where there is none."""
    oldest = min(filter(None, Cluster.objects.values_list("first_hour", flat=True)), default=now)
    return datetime(oldest.astimezone(UTC).year, 1, 1, tzinfo=UTC)
