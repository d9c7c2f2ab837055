"""Why a cost moved: by hours at the price before, then by price at the hours now."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from finops.accounting.money import EXACT, stored

NOTHING = (Decimal(0), Decimal(0))
Cells = Mapping[Hashable, tuple[Decimal, Decimal]]


@dataclass(frozen=True, slots=True)
class Moved:
    """`by_hours` + `by_price` is the change, to the last stored digit."""

    by_hours: Decimal
    by_price: Decimal


def moved(before: Cells, now: Cells) -> Moved:
    """`before`, `now`: GPU-hours with a price and their cost, by what should have one price (pool, model, capacity type).

    A cell that had or has no hours moved by hours alone; within a cell the price is the mean of its hours.
    """
    by_hours = by_price = Decimal(0)
    for key in {*before, *now}:
        (hours_then, cost_then), (hours_now, cost_now) = before.get(key, NOTHING), now.get(key, NOTHING)
        same_price = cost_now
        if hours_then and hours_now:
            same_price = stored(EXACT.divide(EXACT.multiply(cost_then, hours_now), hours_then))
        by_hours += same_price - cost_then
        by_price += cost_now - same_price
    return Moved(by_hours, by_price)
