"""The main table: items, "other", subtotal, unallocated, total; what it prints adds up, to the identity as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from finops import queries
from reports.pages.entries import Entry, added
from reports.pages.identity import Part, bar_of
from reports.pages.items import Label
from reports.templatetags.figures import HOURS, MONEY, Number, apportioned, rounded

MOST = 25  # items; the rest stands together, its rows one link away


@dataclass(frozen=True)
class Line:
    """One row as printed. `kind`: item, other, subtotal, unallocated, total. Money and hours are rounded, ratios are not."""

    label: Label
    kind: str
    row: object
    allocated: Number
    used: Number
    idle_cost: Number
    cost: Number
    share: Number
    change: Number
    relative: Number
    why: str
    bar: list[Part]


def lines_of(found: Sequence[Entry], *, total, parts: Sequence[Part]) -> list[Line]:
    """Every line. `parts`: the identity's, whose printed figures subtotal and total repeat."""
    foot = {
        "allocated": held(parts, "hours", total.allocated_gpu_hours),
        "used": parts[0].hours,
        "idle_cost": parts[1].money,
    }
    names = {"allocated": "allocated_gpu_hours", "used": "used_gpu_hours", "idle_cost": "idle_cost"}
    columns = {
        name: apportioned([getattr(entry.now, of) for entry in found], foot[name], MONEY if name == "idle_cost" else HOURS)
        for name, of in names.items()
    }
    shares = apportioned([queries.ratio(entry.cost, total.cost) for entry in found], 1 if total.cost else None, 3)
    lines = [_line(e, shares[i], {name: column[i] for name, column in columns.items()}) for i, e in enumerate(found)]
    return _with_sums(lines, found, foot, total)


def held(parts: Sequence[Part], name: str, otherwise: Number) -> Number:
    """The sum of the four parts of what was allocated, as printed."""
    printed = [getattr(part, name) for part in parts[:4]]
    return otherwise if None in printed else sum(printed, Decimal(0))


def why_unknown(row) -> str:
    """Why a figure of this row is printed as a dash."""
    if not row.capacity_gpu_hours:
        return "held nothing in this window"
    if not row.allocated_gpu_hours:
        return "nobody held this capacity"
    if row.cost is None:
        return "none of these hours has a price"
    if row.efficiency is None:
        return "nothing was measured in this window"
    if row.cost_per_used_gpu_hour is None:
        return "nothing was used in this window"
    return ""


def _line(entry: Entry, share: Number, columns: dict[str, Number]) -> Line:
    apart, row = entry.kind == "unallocated", entry.now
    return Line(
        entry.label,
        entry.kind,
        row,
        **(dict.fromkeys(columns) if apart else columns),
        cost=entry.cost,
        share=share,
        change=entry.change,
        relative=queries.ratio(entry.change, entry.earlier),
        why="" if apart else why_unknown(row),
        bar=bar_of(row) if row.allocated_gpu_hours else [],
    )


def _with_sums(lines: Sequence[Line], found: Sequence[Entry], foot: dict[str, Number], total) -> list[Line]:
    items = [line for line in lines if line.kind != "unallocated"]
    apart = [line for line in lines if line.kind == "unallocated"]
    rows = queries.together([entry.now for entry in found if entry.kind != "unallocated"])
    subtotal = [_sum("Allocated", "subtotal", rows, foot, items, [e for e in found if e.kind != "unallocated"])] if apart else []
    name = "Capacity" if apart else "Total"
    return [*items, *subtotal, *apart, _sum(name, "total", total, foot, lines, found)]


def _sum(name: str, kind: str, row, foot: dict[str, Number], lines: Sequence[Line], of: Sequence[Entry]) -> Line:
    change, earlier = added(line.change for line in lines), added(entry.earlier for entry in of)
    cost = rounded(row.cost, MONEY) if not lines else added(line.cost for line in lines)
    share = added(line.share for line in lines)
    bar = bar_of(row) if row.allocated_gpu_hours else []
    return Line(
        Label(name), kind, row, **foot, cost=cost, share=share, change=change, relative=queries.ratio(change, earlier), why="", bar=bar
    )
