"""Decimal amounts that add up: one rounding, where a line is born."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

QUANTUM = Decimal("1e-10")  # stored digits of GPU-hours and of money
EXACT = Context(prec=50, rounding=ROUND_HALF_EVEN)


def stored(amount: Decimal) -> Decimal:
    """The amount as it is stored: 10 decimals, half to even."""
    return amount.quantize(QUANTUM, context=EXACT)


def split(total: Decimal, parts: Sequence[Decimal]) -> list[Decimal]:
    """Rounds `parts` to stored digits so that they add up to `total`, by largest remainder.

    `parts` are unrounded, not negative, and add up to `total` within one quantum each.
    Raises ValueError where they do not: a difference that large is no rounding.
    """
    floors = [part.quantize(QUANTUM, rounding=ROUND_FLOOR, context=EXACT) for part in parts]
    missing = int((total - sum(floors, Decimal(0))) / QUANTUM)
    if not 0 <= missing <= len(parts):
        raise ValueError(f"parts {sum(parts)} do not make the whole {total}")
    by_remainder = sorted(range(len(parts)), key=lambda i: (floors[i] - parts[i], i))
    for i in by_remainder[:missing]:
        floors[i] += QUANTUM
    return floors


def display(amount: Decimal | None) -> str | None:
    """Plain digits as stored, no exponent; None stays None: missing is never zero."""
    if amount is None:
        return None
    text = str(amount)  # much quicker than the format that never has an exponent
    return f"{amount:f}" if "E" in text else text
