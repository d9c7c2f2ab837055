"""Prices that are valid and hardly meant: named with their line and a cure, and taken all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Protocol

from finops.accounting.gpu_models import normalise_model

from .problems import Problem, shown, suggestion
from .specs import RateSpec
from .values import MOST_GPUS

MOST = Decimal(100)  # per GPU-hour: ten times what the dearest GPU on offer costs
TIMES_ABOVE, TIMES_BELOW = 10, 20
CAPACITY_TYPES = ("on-demand", "spot", "reserved")
# Worth between half a dollar and two: a factor of two makes no price absurd.
NEAR_THE_DOLLAR = frozenset("USD EUR CHF GBP CAD AUD NZD SGD".split())


class Listed(Protocol):
    """A public list price: `instance_price` of an instance with `gpus` GPUs, `price` of one of them."""

    @property
    def gpu_model(self) -> str: ...
    @property
    def instance_type(self) -> str: ...
    @property
    def instance_price(self) -> Decimal: ...
    @property
    def price(self) -> Decimal: ...
    @property
    def currency(self) -> str: ...


def doubts(rates: Sequence[RateSpec], listed: Iterable[Listed], *, worth: Mapping[str, Decimal]) -> list[Problem]:
    """One line per doubt, in file order. `worth`: units of the reporting currency per unit of each currency that is known."""
    listed = tuple(listed)
    return [
        Problem(rate.line, f"rates[{place}].{key}", told)
        for place, rate in enumerate(rates)
        for key, told in (*_price(rate, listed, worth), *_currency(rate, worth), *_capacity_type(rate))
    ]


def _price(rate: RateSpec, listed: Sequence[Listed], worth: Mapping[str, Decimal]) -> Iterator[tuple[str, str]]:
    whole = rate.instance_price is not None
    key, unit = ("instance_price", "instance-hour") if whole else ("price", "GPU-hour")
    written = f"{rate.amount:f} {rate.currency} per {unit}"
    if not rate.amount:
        yield key, "is 0: these GPUs cost nothing; leave the rate out where the price is not known yet, and their hours are shown as unpriced"
    elif told := _against_the_list(rate, listed, worth):
        yield key, f"{written} is {told}; check the decimal point, the currency, and that it is the price of one hour of one {'instance' if whole else 'GPU'}"
    elif rate.amount > (most := MOST * MOST_GPUS if whole else MOST):
        yield key, f"{written} is above {most}; check the decimal point, and that it is the price of one hour of one {'instance' if whole else 'GPU'}"


def _against_the_list(rate: RateSpec, listed: Sequence[Listed], worth: Mapping[str, Decimal]) -> str:
    known = [(factor * price, name) for price, factor, name in _list_prices(rate, listed, worth)]
    if not known:
        return ""
    (least, _), (most, name) = min(known), max(known)
    span = f"the list price of {name} ({_short(least)}{f' to {_short(most)}' if most > least else ''} {rate.currency})"
    if rate.amount > TIMES_ABOVE * most:
        return f"more than {TIMES_ABOVE} times {span}"
    return f"less than a twentieth of {span}" if rate.amount * TIMES_BELOW < least else ""


def _list_prices(rate: RateSpec, listed: Sequence[Listed], worth: Mapping[str, Decimal]) -> Iterator[tuple[Decimal, Decimal, str]]:
    """(price, what its currency is worth in the rate's, what it is of) of each list price for the same."""
    for line in listed:
        factor = _factor(line.currency, rate.currency, worth)
        if factor is None:
            continue
        if rate.instance_price is not None:
            if line.instance_type.casefold() == (rate.instance_type or "").casefold():
                yield line.instance_price, factor, line.instance_type
        elif rate.gpu_model and normalise_model(line.gpu_model) == normalise_model(rate.gpu_model):
            yield line.price, factor, line.gpu_model


def _factor(currency: str, into: str, worth: Mapping[str, Decimal]) -> Decimal | None:
    if currency == into:
        return Decimal(1)
    if currency in worth and into in worth:
        return worth[currency] / worth[into]
    return Decimal(1) if {currency, into} <= NEAR_THE_DOLLAR else None


def _short(price: Decimal) -> str:
    return f"{price:.2f}" if price >= 1 else f"{price:.3f}"


def _currency(rate: RateSpec, worth: Mapping[str, Decimal]) -> Iterator[tuple[str, str]]:
    if rate.currency not in worth:
        yield "currency", f"no exchange rate turns {rate.currency} into the reporting currency, and nothing is accounted without; add one under exchange_rates"


def _capacity_type(rate: RateSpec) -> Iterator[tuple[str, str]]:
    kind = rate.capacity_type
    if kind and kind not in CAPACITY_TYPES:
        yield "capacity_type", f"{shown(kind)} is none of {', '.join(CAPACITY_TYPES)}, so no node has it{suggestion(kind, CAPACITY_TYPES)}"
