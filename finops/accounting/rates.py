"""The price in force: the most specific rate whose validity holds the instant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from finops.accounting.gpu_models import normalise_model

# The order in which two matching rates are compared: the first key that only one names decides.
SPECIFICITY = ("cluster", "node_pool", "instance_type", "capacity_type", "gpu_model")


@dataclass(frozen=True, slots=True)
class Rate:
    """`price` per physical GPU-hour in the reporting currency, for [start, end); "" matches all."""

    price: Decimal
    gpu_model: str = ""
    cluster: str = ""
    node_pool: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    start: datetime | None = None
    end: datetime | None = None

    def names(self, key: str) -> bool:
        return bool(getattr(self, key))

    def matches(self, asked: "Asked") -> bool:
        plain = all(not self.names(k) or getattr(self, k) == getattr(asked, k) for k in SPECIFICITY[:-1])
        return plain and (not self.gpu_model or normalise_model(self.gpu_model) == normalise_model(asked.gpu_model))

    def holds(self, at: datetime) -> bool:
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a price is asked for."""

    cluster: str
    node_pool: str
    instance_type: str
    capacity_type: str
    gpu_model: str


@dataclass(frozen=True, slots=True)
class Priced:
    """A price in force for [start, end); None where no rate matches: unpriced, never zero."""

    start: datetime
    end: datetime
    price: Decimal | None


def in_force(rates: Sequence[Rate], asked: Asked, *, start: datetime, end: datetime) -> list[Priced]:
    """The prices of `asked` over [start, end), cut where a rate begins or ends."""
    fitting = [rate for rate in rates if rate.matches(asked)]
    cuts = sorted({start, end, *(c for rate in fitting for c in (rate.start, rate.end) if c and start < c < end)})
    spans = [Priced(a, b, best.price if (best := _best(fitting, at=a)) else None) for a, b in zip(cuts, cuts[1:], strict=False)]
    return _merge(spans)


def converted(rate: Rate, exchange: Sequence[tuple[datetime, Decimal]]) -> list[Rate]:
    """`rate` in the reporting currency: one rate per span of a dated exchange rate.

    `exchange`: (valid from, reporting currency per unit), rising. Before the first there is no price, never a 1.
    """
    spans = []
    for (start, factor), following in zip(exchange, [*(begin for begin, _ in exchange[1:]), None], strict=True):
        begin = max(start, rate.start) if rate.start else start
        ends = [end for end in (rate.end, following) if end]
        if not ends or begin < min(ends):
            spans.append(replace(rate, price=rate.price * factor, start=begin, end=min(ends, default=None)))
    return spans


def deciding(rates: Iterable[Rate], asked: Asked, *, at: datetime) -> Rate | None:
    """The rate whose price `in_force` gives for that instant."""
    return _best((rate for rate in rates if rate.matches(asked)), at=at)


def _best(rates: Iterable[Rate], *, at: datetime) -> Rate | None:
    valid = [rate for rate in rates if rate.holds(at)]
    return max(valid, key=lambda r: tuple(r.names(k) for k in SPECIFICITY), default=None)


def _merge(spans: list[Priced]) -> list[Priced]:
    merged: list[Priced] = []
    for span in spans:
        if merged and merged[-1].price == span.price:
            span = Priced(merged.pop().start, span.end, span.price)
        merged.append(span)
    return merged
