"""Rows of teams or jobs as a table prints them: its columns add up to its foot, its foot to the identity."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reports.pages.identity import Part, bar_of
from reports.templatetags.figures import HOURS, MONEY, Number, apportioned

# What a column shows, and with how many decimals; the ratios of a row never add up and are not here.
ADDITIVE = {"allocated_gpu_hours": HOURS, "used_gpu_hours": HOURS, "idle_cost": MONEY, "cost": MONEY}


@dataclass(frozen=True)
class Line:
    name: str
    note: str
    link: str
    colour: str
    allocated: Decimal | None
    used: Decimal | None
    idle_cost: Decimal | None
    cost: Decimal | None
    efficiency: float | None
    per_used: Number
    per_allocated: Number
    why: str
    unpriced: Decimal
    bar: list[Part]


def foot_of(total, parts: Sequence[Part]) -> dict[str, Number]:
    """The totals as the identity above prints them."""
    by = {part.bucket: part for part in parts}
    held = [part.hours for part in parts[:-1]]
    allocated = total.allocated_gpu_hours if None in held else sum(held)
    return {
        "allocated_gpu_hours": allocated,
        "used_gpu_hours": by["used"].hours,
        "idle_cost": by["idle"].money,
        "cost": total.cost,
    }


def lines_of(rows: Sequence, foot: dict[str, Number], labels: Sequence[dict[str, str]]) -> list[Line]:
    """`labels`: name, note, link and colour of each row."""
    columns = [apportioned([getattr(row, name) for row in rows], foot[name], places) for name, places in ADDITIVE.items()]
    return [
        Line(
            **label,
            **dict(zip(("allocated", "used", "idle_cost", "cost"), figures, strict=True)),
            efficiency=row.efficiency,
            per_used=row.cost_per_used_gpu_hour,
            per_allocated=row.cost_per_allocated_gpu_hour,
            why=why_unknown(row),
            unpriced=row.unpriced_gpu_hours or Decimal(0),
            bar=bar_of(row) if row.allocated_gpu_hours else [],
        )
        for row, label, *figures in zip(rows, labels, *columns, strict=True)
    ]


def why_unknown(row) -> str:
    """Why a figure of this row is printed as a dash."""
    if not row.allocated_gpu_hours:
        return "nobody held this capacity"
    if row.cost is None:
        return "none of these hours has a price"
    if row.efficiency is None:
        return "nothing was measured in this window"
    if row.cost_per_used_gpu_hour is None:
        return "nothing was used in this window"
    return ""
