"""How numbers are printed, for every page: the one place that rounds for the eye."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from django import template

register = template.Library()
UNKNOWN = "\u2013"
MINUS = "\u2212"
MONEY, HOURS, PER_HOUR = 2, 1, 2

Number = Decimal | float | None


def rounded(value: Number, places: int) -> Decimal | None:
    """Half away from zero, as people do; a float is taken as it prints."""
    if value is None:
        return None
    number = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return abs(number) if number == 0 else number  # no minus zero


def apportioned(parts: Sequence[Number], whole: Number, places: int) -> list[Decimal | None]:
    """The parts, rounded so that they add up to the whole as printed: largest remainder. Unknown stays unknown."""
    unit = Decimal(1).scaleb(-places)
    known = {i: Decimal(str(part)) / unit for i, part in enumerate(parts) if part is not None}
    if whole is None or not known:
        return [rounded(part, places) for part in parts]
    floors = {i: int(part // 1) for i, part in known.items()}
    missing = int(rounded(whole, places) / unit) - sum(floors.values())
    order = sorted(known, key=lambda i: known[i] - floors[i], reverse=True)
    for turn in range(min(abs(missing), len(order))):
        floors[order[turn] if missing > 0 else order[-1 - turn]] += 1 if missing > 0 else -1
    return [(floors[i] * unit).quantize(unit) if i in floors else None for i in range(len(parts))]


def printed(value: Number, places: int) -> str:
    number = rounded(value, places)
    return UNKNOWN if number is None else f"{number:,.{places}f}".replace("-", MINUS)


def signed(value: Number, places: int) -> str:
    """With its sign always; no change is 0.00, without one."""
    number = rounded(value, places)
    return f"+{printed(number, places)}" if number is not None and number > 0 else printed(number, places)


def changed(ratio: Number) -> str:
    """Of a relative change: 0.088 → +8.8%."""
    return UNKNOWN if ratio is None else signed(Decimal(str(ratio)) * 100, 1) + "%"


def points(difference: Number) -> str:
    """Of a difference of two ratios: −0.011 → −1.1."""
    return UNKNOWN if difference is None else signed(Decimal(str(difference)) * 100, 1)


@register.filter
def more_money(value: Number) -> str:
    return signed(value, MONEY)


@register.filter
def more_percent(ratio: Number) -> str:
    return changed(ratio)


@register.filter
def shortened(name: str, most: int = 44) -> str:
    """A long name cut in its middle: what tells names apart often stands at the end."""
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"


@register.filter
def money(value: Number) -> str:
    return printed(value, MONEY)


@register.filter
def hours(value: Number) -> str:
    return printed(value, HOURS)


@register.filter
def per_hour(value: Number) -> str:
    return printed(value, PER_HOUR)


@register.filter
def percent(value: Number) -> str:
    """Of a ratio: 0.416 → 41.6%."""
    return UNKNOWN if value is None else printed(Decimal(str(value)) * 100, 1) + "%"
