"""Families of samples as Prometheus' text format 0.0.4."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal

from prometheus_client import Metric, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client.registry import Collector

__all__ = ["CONTENT_TYPE", "gauge", "text"]


class Families(Collector):
    """What the library writes out: it asks a registry, and ours holds nothing between two scrapes."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self.families = families

    def collect(self) -> Iterable[Metric]:
        return self.families


def gauge(name: str, about: str, samples: Iterable[tuple[dict[str, str], Decimal | datetime | int | None]]) -> Metric:
    """`samples`: labels and value; an instant becomes seconds since 1970, and what is None has no sample."""
    family = Metric(name, about, "gauge")
    for labels, value in samples:
        if value is not None:
            family.add_sample(name, labels, value.timestamp() if isinstance(value, datetime) else float(value))
    return family


def text(families: Sequence[Metric]) -> str:
    """Without the families that have no sample."""
    return generate_latest(Families([family for family in families if family.samples])).decode()
