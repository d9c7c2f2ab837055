"""What the price page asks for: one row per GPU model and capacity type, with the price in force. Pure but for its inputs."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from finops.accounting.gpu_models import normalise_model
from finops.accounting.rates import Asked, most_specific
from finops.configuration.schema import Invalid, parse
from finops.configuration.specs import RateSpec


@dataclass(frozen=True, slots=True)
class Row:
    """`prices`: those in force, as written; `unpriced`: GPU-hours of the day that no rate reaches now; `listed`: a list price stands in.
    `alone`: the model is there in this capacity type only."""

    gpu_model: str
    capacity_type: str
    where: str
    gpu_hours: Decimal
    unpriced: Decimal
    prices: tuple[str, ...]
    listed: bool = False
    alone: bool = True

    @property
    def open(self) -> bool:
        """Whether a price of one's own is asked for."""
        return bool(self.gpu_model) and bool(self.unpriced or self.listed)


def rows(models: Iterable, rates: Sequence[RateSpec], *, listed: Iterable[str] = (), now: datetime) -> list[Row]:
    """`models`: what has `asked` and `gpu_hours`, in the order to be shown. `listed`: models whose rate is a list price."""
    groups: dict[tuple[str, str], list] = defaultdict(list)
    for model in models:
        groups[model.asked.gpu_model, model.asked.capacity_type].append(model)
    stand_ins = {normalise_model(model) for model in listed}
    kinds = Counter(normalise_model(model) for model, _ in groups)
    made = [_row(model, kind, found, rates, now=now) for (model, kind), found in groups.items()]
    return [
        replace(row, listed=normalise_model(row.gpu_model) in stand_ins, alone=kinds[normalise_model(row.gpu_model)] == 1) for row in made
    ]


def _row(model: str, kind: str, found: Sequence, rates: Sequence[RateSpec], *, now: datetime) -> Row:
    prices = {each.asked: _price(each.asked, rates, now=now) for each in found}
    pools = sorted({each.asked.node_pool or each.asked.cluster for each in found})
    return Row(
        model,
        kind,
        ", ".join(pools),
        sum((each.gpu_hours for each in found), Decimal(0)),
        sum((each.gpu_hours for each in found if not prices[each.asked]), Decimal(0)),
        tuple(sorted({price for price in prices.values() if price})),
    )


def _price(asked: Asked, rates: Sequence[RateSpec], *, now: datetime) -> str:
    """The price in force in the currency it was written in; "" where there is none."""
    written = [rate.as_rate() for rate in rates]
    rate = most_specific(written, asked, at=now)
    if rate is None:
        return ""
    spec = next(spec for spec, each in zip(rates, written, strict=True) if each is rate)
    return f"{spec.currency}\u00a0{written_out(spec.amount)}" + (" per instance" if spec.instance_price is not None else "")


def written_out(price: Decimal) -> str:
    """As it was typed, two decimals at least: 3.80, 2.74470525."""
    short = price.normalize()
    exponent = short.as_tuple().exponent
    return f"{short:f}" if isinstance(exponent, int) and exponent < -2 else f"{short:.2f}"


def read(posted: Mapping[str, str], asked: Sequence[Row], *, currency: str) -> tuple[list[RateSpec], dict[int, str]]:
    """The rates typed in, or a message by row. `price-<place>` with `model-<place>` and `kind-<place>` guard against a page gone old."""
    places = [place for place, row in enumerate(asked) if posted.get(f"price-{place}", "").strip() and row.open]
    entries = [_entry(asked[place], posted[f"price-{place}"].strip(), currency) for place in places]
    stale = {place: "this row has changed since; type the price again" for place in places if not _same(posted, asked[place], place)}
    try:
        found = parse(json.dumps({"rates": entries}, ensure_ascii=False))
    except Invalid as invalid:
        wrong = {places[int(problem.path[6 : problem.path.index("]")])]: problem.message for problem in reversed(invalid.errors)
                 if problem.path.startswith("rates[")}  # fmt: skip
        return [], wrong or {-1: str(invalid)}
    return ([], stale) if stale else (list(found.rates or ()), {})


def _entry(row: Row, price: str, currency: str) -> dict[str, str]:
    """A price that follows a list price is for the same GPUs, so that the list price gives way."""
    kind = {} if row.listed and row.alone else {"capacity_type": row.capacity_type}
    return {"gpu_model": row.gpu_model, **kind, "price": price, "currency": currency}


def _same(posted: Mapping[str, str], row: Row, place: int) -> bool:
    return (posted.get(f"model-{place}"), posted.get(f"kind-{place}")) == (row.gpu_model, row.capacity_type)
