"""What moved since the period before, by hours and by price; parts and sums agree as printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finops.accounting.variance import moved
from reports.pages.entries import Entry
from reports.pages.items import Item, Label
from reports.templatetags.figures import HOURS, MONEY, apportioned, money, rounded

MOST = 8
PRICED_BY = ("cluster", "node_pool", "gpu_model", "capacity_type")


@dataclass(frozen=True)
class Mover:
    """Printed figures; `then` + `change` is `now`, `by_hours` + `by_price` is `change`. Hours are those with a price."""

    label: Label
    then: Decimal
    now: Decimal
    by_price: Decimal
    hours_then: Decimal
    hours_now: Decimal

    @property
    def change(self) -> Decimal:
        return self.now - self.then

    @property
    def by_hours(self) -> Decimal:
        return self.change - self.by_price


@dataclass(frozen=True)
class Movement:
    """`movers`: the largest changes, then the rest as one; they add up to `total`."""

    movers: list[Mover]
    total: Mover

    def why(self, currency: str) -> str:
        """What made the change, in a sentence that is exact; empty where nothing changed."""
        change, first = self.total.change, self.movers[0] if self.movers else None
        if first is None or not first.change:
            return ""
        if not change:
            return "The cost is the same; what one gained another lost"
        way = "rise" if change > 0 else "fall"
        if first.change * change > 0:
            who = f"{first.label.name} alone {'rose' if change > 0 else 'fell'} by {currency}\u00a0{money(abs(first.change))}"
        else:
            who = f"Against the {way}, {first.label.name} {'rose' if first.change > 0 else 'fell'} by {currency}\u00a0{money(abs(first.change))}"
        return f"{who if first.label.link else who[0].upper() + who[1:]}{self._cause()}"

    def _cause(self) -> str:
        if not self.total.by_price:
            return "; in all, the hours did it and prices made nothing"
        if not self.total.by_hours:
            return "; in all, prices did it and the hours made nothing"
        return f"; in all, hours made {signed_words(self.total.by_hours)}, prices {signed_words(self.total.by_price)}"


def signed_words(amount: Decimal) -> str:
    return f"{money(abs(amount))} {'more' if amount > 0 else 'less'}"


def movement(found: Sequence[Entry], now: Mapping[Item, list], then: Mapping[Item, list], keys: Sequence[str]) -> Movement:
    """`now`, `then`: rows by what should have one price, under their item."""
    priced = [entry for entry in found if entry.cost is not None or entry.earlier is not None]
    hours_now, hours_then = (_hours_of([getattr(entry, side) for entry in priced]) for side in ("now", "then"))
    movers = []
    for entry, after, earlier in zip(priced, hours_now, hours_then, strict=True):
        item = tuple(entry.now.keys[key] for key in keys)
        by_price = rounded(moved(_cells(then.get(item, ())), _cells(now.get(item, ()))).by_price, MONEY)
        movers.append(Mover(entry.label, entry.earlier or ZERO, entry.cost or ZERO, by_price, earlier, after))
    movers.sort(key=lambda mover: abs(mover.change), reverse=True)
    return Movement(_shortened(movers), _together("Total", movers))


ZERO = Decimal(0)


def _hours(row) -> Decimal:
    return row.hours("capacity") - row.hours("unpriced")


def _hours_of(rows: Sequence) -> list[Decimal]:
    figures = [_hours(row) for row in rows]
    return [figure or ZERO for figure in apportioned(figures, sum(figures, ZERO), HOURS)]


def _cells(rows: Sequence) -> dict[tuple, tuple[Decimal, Decimal]]:
    return {tuple(row.keys[key] for key in PRICED_BY): (_hours(row), row.cost or ZERO) for row in rows}


def _shortened(movers: Sequence[Mover]) -> list[Mover]:
    shown = [mover for mover in movers if mover.change][:MOST]
    rest = movers[len(shown) :]
    if not rest:
        return shown
    unchanged = not any(mover.change for mover in rest)
    return [*shown, _together(f"{len(rest)} unchanged" if unchanged else f"All others ({len(rest)})", rest)]


def _together(name: str, movers: Sequence[Mover]) -> Mover:
    names = ("then", "now", "by_price", "hours_then", "hours_now")
    return Mover(Label(name), *(sum((getattr(mover, name) for mover in movers), ZERO) for name in names))
