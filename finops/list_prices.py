"""Public list prices per GPU-hour: stand-ins until the reader's own prices are known.

`list_prices.csv`: one on-demand instance per line, with the day its price was noted. An instance's price holds CPU and memory
too, except where the line says that the accelerator stands alone.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path

from django.db.models import Q

from finops.accounting.gpu_models import normalise_model
from finops.accounting.money import EXACT, stored
from finops.configuration.doubts import doubts as doubtful
from finops.configuration.problems import Problem
from finops.configuration.specs import Configuration, RateSpec
from finops.models import ExchangeRate, Rate, Setting
from finops.price_list import LIST, bring_in
from finops.scope import Refused, Window

FILE = Path(__file__).with_name("list_prices.csv")


@dataclass(frozen=True, slots=True)
class ListPrice:
    """`instance_price` per hour of an instance with `gpus` GPUs, as its provider published it on `as_of`."""

    gpu_model: str
    cloud: str
    region: str
    instance_type: str
    gpus: int
    instance_price: Decimal
    currency: str
    as_of: date
    source: str

    @property
    def price(self) -> Decimal:
        """Per GPU-hour, at the ten decimals that are stored."""
        return stored(EXACT.divide(self.instance_price, Decimal(self.gpus)))


@dataclass(frozen=True, slots=True)
class Offer:
    """`rate` as it would be stored, from `taken`; `others` are the list prices of the same model that were passed over."""

    rate: RateSpec
    taken: ListPrice
    others: tuple[ListPrice, ...]


@cache
def list_prices() -> tuple[ListPrice, ...]:
    """Every line of the file, in its order."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            ListPrice(**row | {"gpus": int(row["gpus"]), "instance_price": Decimal(row["instance_price"]),
                               "as_of": date.fromisoformat(row["as_of"])})
            for row in csv.DictReader(file)
        )  # fmt: skip


def offer(models_present: Iterable[str], currency: str, *, cloud: str = "") -> list[Offer]:
    """One offer per model that the list knows, in the order given; models that have a rate are the caller's to leave out.

    Of several prices those of `cloud` are preferred, then those in `currency`, then the middle one (the lower of two). A price stays
    in the list's currency: a dated exchange rate turns it into the reporting one.
    """
    found: dict[str, Offer] = {}
    for model in models_present:
        name = normalise_model(model)
        known = [line for line in list_prices() if normalise_model(line.gpu_model) == name]
        if name not in found and known:
            found[name] = _offer(model, known, currency=currency, cloud=cloud)
    return list(found.values())


def _offer(model: str, known: Sequence[ListPrice], *, currency: str, cloud: str) -> Offer:
    preferred = [line for line in known if line.cloud == cloud] or list(known)
    preferred = [line for line in preferred if line.currency == currency] or preferred
    ranked = sorted(preferred, key=lambda line: line.price)
    taken = ranked[(len(ranked) - 1) // 2]
    rate = RateSpec(None, None, None, None, model, taken.price.normalize(), taken.currency)
    return Offer(rate, taken, tuple(line for line in known if line is not taken))


def accept(offers: Sequence[Offer], *, now: datetime) -> list[str]:
    """Stores the offered rates, marked as list prices; one line per change.

    Refused where a currency has no exchange rate; Invalid where a rate of the reader's own holds for the same GPUs.
    """
    reporting = (Setting.objects.first() or Setting()).currency
    known = {reporting, *ExchangeRate.objects.values_list("currency", flat=True)}
    for currency in sorted({each.rate.currency for each in offers} - known):
        raise Refused(f"list prices are in {currency} and no exchange rate to {reporting} is known; add one under exchange_rates")
    return bring_in([each.rate for each in offers], now=now, origin=LIST)


def doubts(wanted: Configuration) -> list[Problem]:
    """What is valid in the rates and hardly meant, one line each; what the file leaves out is as it is stored."""
    reporting = wanted.currency or (Setting.objects.first() or Setting()).currency
    exchange = ExchangeRate.objects.all() if wanted.exchange_rates is None else wanted.exchange_rates
    worth = {each.currency: each.rate for each in sorted(exchange, key=lambda each: each.start)} | {reporting: Decimal(1)}
    return doubtful(wanted.rates or (), list_prices(), worth=worth)


def in_use(window: Window) -> bool:
    """Whether a list price is in force at any time of the window: figures of it are estimates."""
    begun = Q(start=None) | Q(start__lt=window.end)
    lasting = Q(end=None) | Q(end__gt=window.start)
    return Rate.objects.filter(begun, lasting, origin=LIST).exists()
