"""What stands around the bars of a chart: braces over windows, names beside the last bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

PLOT = 330  # px
LINE = 15.5  # px from one name to the next
STRONG = 600


@dataclass(frozen=True)
class Series:
    name: str
    colour: str
    amounts: Mapping[date, Decimal]


def plain(name: str) -> str:
    """A name as the chart library's text: it reads tags, links among them, in whatever it draws."""
    return (name or "(none)").replace("&", "&amp;").replace("<", "&lt;")


def brace(first: date, end: date, name: str, amount: str, is_window: bool, *, wide: timedelta) -> tuple[list[dict], list[dict]]:
    """A brace from the first bar's left edge to the last one's right, its name and sum above the middle."""
    left, right = (f"{day - timedelta(days=1)}T12:00" for day in (first, end))
    colour = "var(--text)" if is_window else "var(--line-2)"
    line = {"color": colour, "width": 1.5 if is_window else 1}
    edges = [(left, 1.0, left, 1.015), (left, 1.015, right, 1.015), (right, 1.015, right, 1.0)]
    shapes = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line} for x0, y0, x1, y1 in edges
    ]
    short = end - first <= timedelta(days=3)  # its words need more room than it has, and the chart may end with it
    middle = end - timedelta(days=1) if short else first + (end - timedelta(days=1) - first) / 2
    weight = STRONG if is_window else 400
    font = {"color": "var(--text)" if is_window else "var(--text-3)", "weight": weight}
    texts = [
        {"text": text, "x": middle.isoformat(), "xref": "x", "y": 1.015, "yref": "paper", "yanchor": "bottom", "yshift": shift,
         "xanchor": "right" if short else "center", "xshift": 9 if short else 0, "showarrow": False, "font": font}
        for text, shift in ((name, 17), (amount, 2))
        if text
    ]  # fmt: skip
    return shapes, texts


def direct_labels(series: Sequence[Series], days: Sequence[date], top: float) -> list[dict]:
    """Names at the right of the last bar that has any money, pushed apart; the script drops them on a narrow page."""
    last = next((day for day in reversed(days) if any(one.amounts.get(day) for one in series)), None)
    if last is None:
        return []
    heights, below = [], 0.0
    for one in series:
        height = float(one.amounts.get(last, Decimal(0)))
        heights.append((below + height / 2) / top * PLOT)
        below += height
    return [mark for one, y in zip(series, _apart(heights), strict=True) for mark in _named(one, y / PLOT)]


def note(day: date, text: str) -> dict:
    """Upright words on a bar."""
    return {
        "text": text, "x": day.isoformat(), "xref": "x", "y": 0, "yref": "y", "yanchor": "bottom", "yshift": 4, "textangle": -90,
        "showarrow": False, "font": {"size": 11, "color": "var(--text-3)"},
    }  # fmt: skip


def unit(text: str) -> dict:
    """The unit, again at the top of the axis."""
    return {
        "text": text, "x": 0, "xref": "paper", "xanchor": "right", "xshift": -8, "y": 1, "yref": "paper", "yanchor": "bottom",
        "yshift": 8, "showarrow": False,
    }  # fmt: skip


def _apart(heights: Sequence[float]) -> list[float]:
    """Up from the bottom by at least a line each, then down again where they left the plot."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LINE if placed else 6.0))
    for i in range(len(placed) - 1, -1, -1):
        placed[i] = min(placed[i], placed[i + 1] - LINE if i + 1 < len(placed) else PLOT)
    return placed


def _named(one: Series, y: float) -> list[dict]:
    place = {"x": 1, "xref": "paper", "y": y, "yref": "paper", "yanchor": "middle", "xanchor": "left", "showarrow": False, "name": "direct"}
    name = one.name if len(one.name) <= 13 else f"{one.name[:12]}…"
    return [
        {**place, "text": "■", "xshift": 6, "font": {"color": one.colour, "size": 13}},
        {**place, "text": plain(name), "xshift": 20, "font": {"color": "var(--text)"}},
    ]
