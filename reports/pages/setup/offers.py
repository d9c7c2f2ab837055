"""List prices for what has no price: offered with their date and source, taken only where a person says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from finops import stand_ins
from finops.configuration.specs import ExchangeRate
from finops.configuration.values import positive, word
from finops.list_prices import Offer, offer
from reports.pages.setup.price_rows import Row, written_out


@dataclass(frozen=True, slots=True)
class Line:
    """One offer as the page prints it."""

    model: str
    price: str
    source: str


def offers(rows: Sequence[Row], *, currency: str) -> list[Offer]:
    """For models that no rate reaches in any of their rows."""
    priced = {row.gpu_model for row in rows if row.prices}
    return offer([row.gpu_model for row in rows if row.gpu_model and row.unpriced and row.gpu_model not in priced], currency)


def lines(found: Sequence[Offer]) -> list[Line]:
    return [_line(each) for each in found]


def _line(found: Offer) -> Line:
    taken = found.taken
    of = f", one of {taken.gpus} GPUs" if taken.gpus > 1 else ""
    source = f"{taken.cloud} {taken.region}, {taken.instance_type}{of}; {taken.source}, noted {_day(taken.as_of)}"
    return Line(found.rate.gpu_model or "", f"{taken.currency}\u00a0{written_out(taken.price)}", source)


def _day(value: date) -> str:
    return f"{value.day} {value:%b %Y}"


def foreign(found: Sequence[Offer]) -> list[str]:
    """Currencies of the offers that nothing turns into the reporting one yet."""
    return sorted({each.taken.currency for each in found} - stand_ins.currencies())


def exchange(posted: Mapping[str, str], currencies: Sequence[str], *, now: datetime) -> tuple[list[ExchangeRate], dict[str, str]]:
    """What was typed as the worth of one unit of each currency, or a message by currency."""
    found, wrong, start = [], {}, stand_ins.oldest_year(now=now)
    for currency in currencies:
        try:
            found.append(ExchangeRate(currency, positive(word(posted.get(f"exchange-{currency}", "").strip())), start))
        except ValueError as error:
            wrong[currency] = str(error)
    return found, wrong
