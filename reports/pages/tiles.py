"""Stat tiles: figure, 30-day line from zero, change against the period before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from finops.scope import Window
from reports.pages.comparison import Before, Change, absolute, relative
from reports.pages.table import why_unknown
from reports.templatetags.figures import money, per_hour, percent

HEIGHT = 24
POINT = Callable[[object], float | Decimal | None]


@dataclass(frozen=True)
class Tile:
    """`lines`, `strong`: points of an SVG of 100 × 24, the latter those of the window; a day without a figure is a gap."""

    label: str
    unit: str
    figure: str
    change: Change | None
    why: str
    lines: list[str]
    strong: list[str]


def tiles_of(
    total, before: Before, days: Sequence[tuple[datetime, object]], *, window: Window, unit: str, idle_cost: Decimal | None
) -> list[Tile]:
    """`days`: (start, row) of each whole day up to the window's end. `idle_cost`: as the identity prints it, so that both agree."""
    then = None if before.why_not else before.total
    made = []
    for name, attribute, printed, compared in FIGURES:
        value, earlier = getattr(total, attribute), getattr(then, attribute, None)
        change = compared(value, earlier, before)
        why = _why(value, earlier, change, total, before)
        currency = "" if printed is percent or value is None else unit
        lines = [_points(days, attribute, start) for start in (None, window.start)]
        shown = idle_cost if attribute == "idle_cost" else value
        made.append(Tile(name, currency, printed(shown), change, why, *lines))
    return made


FIGURES = (
    ("Cost", "cost", money, relative),
    ("Efficiency", "efficiency", percent, absolute),
    ("Cost per used GPU-hour", "cost_per_used_gpu_hour", per_hour, relative),
    ("Cost per allocated GPU-hour", "cost_per_allocated_gpu_hour", per_hour, relative),
    ("Idle cost", "idle_cost", money, relative),
)


def _why(value, earlier, change: Change | None, total, before: Before) -> str:
    """Why there is no figure, or no comparison."""
    if change:
        return ""
    if value is None:
        return why_unknown(total)
    return before.why_not or ("no such figure" if earlier is None else "0.00") + f" in {before.span}"


def _points(days: Sequence[tuple[datetime, object]], attribute: str, since: datetime | None) -> list[str]:
    values = [getattr(row, attribute) for _, row in days]
    top = max((float(value) for value in values if value is not None), default=0.0)
    runs: list[list[str]] = [[]]
    for i, ((start, _), value) in enumerate(zip(days, values, strict=True)):
        if since is not None and start < since:
            continue
        if value is None:
            runs.append([])
            continue
        x, y = _place(i, len(days), 100), HEIGHT - 1 - _place(float(value), top + 1e-9, HEIGHT - 3, less=0)
        runs[-1].append(f"{x:.2f},{y:.2f}")
    return [" ".join(run) for run in runs if len(run) > 1]


def _place(at: float, of: float, size: float, *, less: int = 1) -> float:
    return size * at / max(of - less, 1e-9)
