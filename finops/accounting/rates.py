"""The price in force: the most specific rate whose validity holds the instant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from finops.accounting.gpu_models import normalise_model
from finops.accounting.instance_price import DEFAULT, Size, Weights, gpu_hour_price

# The order in which two matching rates are compared: the first key that only one names decides.
SPECIFICITY = ("cluster", "node_pool", "instance_type", "capacity_type", "gpu_model")
LACKS_SIZE = "size"


@dataclass(frozen=True, slots=True)
class Rate:
    """Valid for [start, end), in the reporting currency; "" matches all.

    `price` per physical GPU-hour, else `instance_price` per hour of a whole node, divided by `weights`. Neither where `unconverted`
    names the currency it is in: no exchange rate of that time is known.
    """

    price: Decimal | None = None
    gpu_model: str = ""
    cluster: str = ""
    node_pool: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    start: datetime | None = None
    end: datetime | None = None
    instance_price: Decimal | None = None
    weights: Weights = DEFAULT
    unconverted: str = ""

    def names(self, key: str) -> bool:
        return bool(getattr(self, key))

    def matches(self, asked: "Asked") -> bool:
        plain = all(not self.names(k) or getattr(self, k) == getattr(asked, k) for k in SPECIFICITY[:-1])
        return plain and (not self.gpu_model or normalise_model(self.gpu_model) == normalise_model(asked.gpu_model))

    def holds(self, at: datetime) -> bool:
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)

    def of_a_gpu(self, size: Size | None) -> Decimal | None:
        """Per GPU-hour on a node of that size; None where it cannot be told."""
        if self.instance_price is None:
            return self.price
        return gpu_hour_price(self.instance_price, size, self.weights) if size else None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a price is asked for; `size` is what an instance's price is divided by."""

    cluster: str
    node_pool: str
    instance_type: str
    capacity_type: str
    gpu_model: str
    size: Size | None = None


@dataclass(frozen=True, slots=True)
class Priced:
    """A price in force for [start, end); None is unpriced, never zero: no rate matches, or the one that does lacks something.

    `lacks`: LACKS_SIZE where the node's size is not known, or the currency that has no exchange rate.
    """

    start: datetime
    end: datetime
    price: Decimal | None
    lacks: str = ""


def in_force(rates: Sequence[Rate], asked: Asked, *, start: datetime, end: datetime) -> list[Priced]:
    """The prices of `asked` over [start, end), cut where a rate begins or ends."""
    fitting = [rate for rate in rates if rate.matches(asked)]
    cuts = sorted({start, end, *(c for rate in fitting for c in (rate.start, rate.end) if c and start < c < end)})
    return _merge([_priced(_best(fitting, at=a), asked.size, a, b) for a, b in zip(cuts, cuts[1:], strict=False)])


def most_specific(rates: Iterable[Rate], asked: Asked, *, at: datetime) -> Rate | None:
    """The rate that decides at that instant; of equals the first."""
    return _best((rate for rate in rates if rate.matches(asked)), at=at)


def converted(rate: Rate, exchange: Sequence[tuple[datetime, Decimal]], *, currency: str) -> list[Rate]:
    """`rate`, which is in `currency`, in the reporting one: one rate per span of a dated exchange rate.

    `exchange`: (valid from, reporting currency per unit), rising. Before the first the rate stands without a price, in front of
    any that is less specific: never a 1, never another's price.
    """
    starts = [start for start, _ in exchange]
    before = _within(rate, None, starts[0] if starts else None)
    spans = [replace(before, price=None, instance_price=None, unconverted=currency)] if before else []
    for (start, factor), following in zip(exchange, [*starts[1:], None], strict=False):
        if part := _within(rate, start, following):
            spans.append(replace(part, price=_times(rate.price, factor), instance_price=_times(rate.instance_price, factor)))
    return spans


def _times(price: Decimal | None, factor: Decimal) -> Decimal | None:
    return None if price is None else price * factor


def _within(rate: Rate, start: datetime | None, end: datetime | None) -> Rate | None:
    """The part of the rate's validity in [start, end); None where there is none."""
    begin = max((t for t in (rate.start, start) if t), default=None)
    until = min((t for t in (rate.end, end) if t), default=None)
    return None if begin and until and begin >= until else replace(rate, start=begin, end=until)


def _best(rates: Iterable[Rate], *, at: datetime) -> Rate | None:
    return max((rate for rate in rates if rate.holds(at)), key=lambda r: tuple(r.names(k) for k in SPECIFICITY), default=None)


def _priced(rate: Rate | None, size: Size | None, start: datetime, end: datetime) -> Priced:
    price = rate.of_a_gpu(size) if rate else None
    lacks = "" if rate is None or price is not None else rate.unconverted or LACKS_SIZE
    return Priced(start, end, price, lacks)


def _merge(spans: list[Priced]) -> list[Priced]:
    merged: list[Priced] = []
    for span in spans:
        if merged and (merged[-1].price, merged[-1].lacks) == (span.price, span.lacks):
            span = replace(span, start=merged.pop().start)
        merged.append(span)
    return merged
