"""Where money is lost: the largest lines of idle time and of capacity nobody held."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finops import queries
from finops.scope import Scope
from reports.pages.identity import Part
from reports.pages.items import UNALLOCATED, Label, label
from reports.params import Params
from reports.templatetags.figures import HOURS, MONEY, apportioned, percent

MOST = 6
KEYS = ("team", "job", "node_pool", "gpu_model")
LOST = ("idle", "unallocated")


@dataclass(frozen=True)
class Lost:
    """Idle or unallocated hours and money of one job or pool, as printed; `kind`: item, rest, total."""

    label: Label
    why: str
    where: str
    hours: Decimal | None
    cost: Decimal | None
    kind: str = "item"


def rows_of(scope: Scope) -> list:
    """The largest lines, one more than is shown."""
    return queries.rows_of(scope_of(scope), order="idle and unallocated cost", most=MOST)


def scope_of(scope: Scope) -> Scope:
    return Scope(scope.window, KEYS, "total", scope.filters, scope.excludes, scope.teams)


def lost(rows: Sequence, parts: Sequence[Part], *, params: Params, tokens: Mapping[str, str]) -> list[Lost]:
    """Lines, the rest of them, and the sum, which is the identity's idle + unallocated as printed."""
    rows = [row for row in rows if row.hours("idle") or row.hours("unallocated")]
    hours = _sum(part.hours for part in parts if part.bucket in LOST)
    money = _sum(part.money for part in parts if part.bucket in LOST)
    printed = _column([_hours(row) for row in rows], hours, HOURS), _column([_cost(row) for row in rows], money, MONEY)
    lines = [
        Lost(_label(row, params, tokens), _why(row), _where(row), *figures) for row, *figures in zip(rows, *printed, strict=False)
    ]
    rest = Lost(Label("All other lines"), "", "", printed[0][-1], printed[1][-1], "rest")
    total = Lost(Label("Idle + unallocated" if parts[4].hours else "Idle"), "", "", hours, money, "total")
    return [*lines, *([rest] if rest.hours else []), total]


def _sum(figures) -> Decimal | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known, Decimal(0)) if known else None


def _column(figures: Sequence[Decimal | None], whole: Decimal | None, places: int) -> list[Decimal | None]:
    """The figures and what is left of the whole, as printed."""
    rest = None if whole is None else max(whole - sum((figure or Decimal(0) for figure in figures), Decimal(0)), Decimal(0))
    return apportioned([*figures, rest], whole, places)


def _hours(row) -> Decimal:
    return row.hours("idle") + row.hours("unallocated")


def _cost(row) -> Decimal | None:
    return None if row.cost is None else row.hours("idle_cost") + row.hours("unallocated_cost")


def _label(row, params: Params, tokens: Mapping[str, str]) -> Label:
    team = row.keys["team"]
    colour = tokens.get(team, "team-other")
    if team == UNALLOCATED:
        return Label("Unallocated", colour=colour)
    job = label(row.keys, "job", params, tokens)
    return Label(job.name, job.note, job.link, colour)


def _why(row) -> str:
    if row.keys["team"] == UNALLOCATED:
        return "No pod held these GPUs."
    if not row.hours("used"):
        return f"Held {row.allocated_gpu_hours:,.1f} GPU-h and was never busy while measured."
    return f"Held {row.allocated_gpu_hours:,.1f} GPU-h; of the measured time {percent(row.efficiency)} was used."


def _where(row) -> str:
    return " · ".join(row.keys[key] for key in ("node_pool", "gpu_model") if row.keys[key])
