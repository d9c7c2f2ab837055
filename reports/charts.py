"""Figures for the page's one drawing script: colours by token name, resolved there."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

import plotly.graph_objects as go

from reports.chart_marks import PLOT, Series, brace, direct_labels, note, plain, unit

SMALLEST = Decimal("0.03")
MOST = 10
OTHER = "other"
APART = ("unallocated", "unassigned")
BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")
STEPS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}
TICKS = 5

LAYOUT = {
    "template": "none",
    "font": {"family": "var(--font)", "size": 12, "color": "var(--text-2)"},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "dragmode": False,
    "hovermode": "closest",
    "showlegend": False,
    "barmode": "stack",
    "bargap": 0.18,
    "height": PLOT + 48 + 44,
    "margin": {"l": 56, "r": 112, "t": 48, "b": 44},
    "hoverlabel": {"bgcolor": "var(--text)", "bordercolor": "var(--text)", "font": {"size": 12, "color": "var(--bg)"}},
}
PATTERNS = {
    "unallocated": {"shape": "/", "fgcolor": "var(--unallocated)", "size": 6, "solidity": 0.12},
    "unmeasured": {"shape": ".", "fgcolor": "var(--unmeasured)", "size": 4, "solidity": 0.45},
}


@dataclass(frozen=True)
class Bars:
    """Money by series and period. `pale`: periods that miss data. `now`: the running period, its sum, and until when."""

    cost: Mapping[str, Mapping[date, Decimal]]
    days: Sequence[date]
    step: str = "day"
    pale: frozenset[date] = frozenset()
    now: tuple[date, Decimal, str] | None = None


@dataclass(frozen=True)
class Frame:
    """What stands around the bars. `braces`: (first day, day after, name, sum, whether it is the window)."""

    currency: str
    zone: str
    tokens: Mapping[str, str]
    braces: Sequence[tuple[date, date, str, str, bool]] = field(default_factory=tuple)


def colours(teams: Sequence[str]) -> dict[str, str]:
    """Team → token name, `teams` in the order they were first shown; from the eleventh on it is other."""
    tokens = {team: f"team-{i}" if i <= MOST else "team-other" for i, team in enumerate(teams, 1)}
    return {**tokens, "unassigned": "team-other", "unallocated": "unallocated", OTHER: "team-other"}


def by_team(rows: Sequence) -> dict[str, dict[date, Decimal]]:
    """Rows of (team, period) as money; small teams stand together."""
    cost: dict[str, dict[date, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for row in rows:
        if row.cost is not None:
            cost[row.keys["team"]][row.period_start.date()] += row.cost
    return _grouped(cost)


def by_use(rows: Sequence) -> dict[str, dict[date, Decimal]]:
    """Rows of a period as money by bucket, in the order of the identity."""
    cost: dict[str, dict[date, Decimal]] = {bucket: defaultdict(Decimal) for bucket in BUCKETS}
    for row in rows:
        for bucket in BUCKETS:
            if row.hours(f"{bucket}_cost"):
                cost[bucket][row.period_start.date()] += row.hours(f"{bucket}_cost")
    return {bucket: amounts for bucket, amounts in cost.items() if amounts}


def stacked(bars: Bars, frame: Frame) -> dict:
    """Stacked bars of the cost of each local day (or week, or month), with braces over the windows compared."""
    top = _top(bars)
    series = [Series(name, f"var(--{frame.tokens.get(name, 'team-other')})", bars.cost[name]) for name in bars.cost]
    traces = [*(_bar(one, bars) for one in series), *([_running(bars.now)] if bars.now else [])]
    marks = [brace(*which, wide=STEPS[bars.step]) for which in frame.braces]
    whole = [day for day in bars.days if not (bars.now and day == bars.now[0])]
    texts = [
        *(text for _, texts in marks for text in texts),
        *direct_labels(series, whole, top),
        *([note(bars.now[0], f"to {bars.now[2]}")] if bars.now else []),
        unit(frame.currency),
    ]
    axes = {"xaxis": _days_axis(bars, frame), "yaxis": _money_axis(top)}
    shapes = [shape for shapes, _ in marks for shape in shapes]
    # Given at once: the library checks every name, and each later update would check the whole again.
    return json.loads(go.Figure(traces, layout={**LAYOUT, **axes, "shapes": shapes, "annotations": texts}).to_json())


def _days_axis(bars: Bars, frame: Frame) -> dict:
    half = STEPS[bars.step] / 2
    monday = bars.days[0] + timedelta(days=-bars.days[0].weekday() % 7)
    ticks = {"tick0": monday.isoformat(), "dtick": 7 * 86_400_000} if bars.step == "day" and len(bars.days) <= 62 else {"nticks": 12}
    return {
        "showgrid": False, "zeroline": False, "fixedrange": True, "showline": True, "linecolor": "var(--line-2)",
        "ticks": "outside", "ticklen": 4, "tickcolor": "var(--line-2)", "type": "date", "tickformat": "%-d %b",
        "range": [_noon(bars.days[0], -half), _noon(bars.days[-1], half)],
        "title": {"text": f"{bars.step}, {frame.zone}{'; ticks on Mondays' if 'tick0' in ticks else ''}", "font": {"size": 12}},
        **ticks,
    }  # fmt: skip


def _money_axis(top: float) -> dict:
    return {
        "gridcolor": "var(--line)", "zeroline": False, "fixedrange": True, "range": [0, top], "dtick": _tick(top), "tickformat": ",~f",
    }  # fmt: skip


def _noon(day: date, shift: timedelta) -> str:
    """A day's bar stands around its midnight; its edge is half a bar away."""
    return f"{day + timedelta(days=shift // timedelta(days=1))}T{'12:00' if shift % timedelta(days=1) else '00:00'}"


def _top(bars: Bars) -> float:
    sums: dict[date, Decimal] = defaultdict(Decimal)
    for amounts in bars.cost.values():
        for day, amount in amounts.items():
            sums[day] += amount
    if bars.now:
        sums[bars.now[0]] += bars.now[1]
    return (float(max(sums.values(), default=Decimal(0))) or 1.0) * 1.06


def _tick(top: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, so that there are at most five and the zero."""
    size = 10.0 ** math.floor(math.log10(top / TICKS))
    return next(size * step for step in (1, 2, 2.5, 5, 10) if size * step * TICKS >= top)


def _grouped(cost: Mapping[str, Mapping[date, Decimal]]) -> dict[str, dict[date, Decimal]]:
    sums = {team: sum(days.values(), Decimal(0)) for team, days in cost.items()}
    least = SMALLEST * sum(sums.values(), Decimal(0))
    teams = sorted((team for team in sums if team != "unallocated"), key=lambda team: sums[team], reverse=True)
    small = [team for team in teams if team not in teams[:MOST] or sums[team] < least]
    apart = set(small) if len(small) > 1 else set()  # one alone may as well keep its name
    grouped: dict[str, dict[date, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for team, days in cost.items():
        for day, amount in days.items():
            grouped[f"{OTHER} ({len(apart)})" if team in apart else team][day] += amount
    return {name: grouped[name] for name in _stacking(grouped)}


def _stacking(grouped: Mapping[str, Mapping[date, Decimal]]) -> list[str]:
    """Largest at the bottom, then what stands together, unallocated on top."""

    def place(name: str) -> tuple[int, Decimal]:
        rank = 2 if name == "unallocated" else 1 if name.startswith(f"{OTHER} (") else 0
        return rank, -sum(grouped[name].values(), Decimal(0))

    return sorted(grouped, key=place)


def _bar(series: Series, bars: Bars) -> dict:
    marker: dict = {"color": series.colour, "line": {"color": "var(--bg)", "width": 0.75}}
    if series.name in PATTERNS:
        marker["line"]["color"] = "var(--line-2)"
        marker["pattern"] = {**PATTERNS[series.name], "bgcolor": "var(--bg)", "fillmode": "replace"}
    if bars.pale:
        marker["opacity"] = [0.45 if day in bars.pale else 1 for day in bars.days]
    running = bars.now[0] if bars.now else None
    values = [float(round(series.amounts[day], 2)) if day in series.amounts and day != running else None for day in bars.days]
    return {
        "type": "bar", "x": [day.isoformat() for day in bars.days], "y": values, "name": plain(series.name), "marker": marker,
        "meta": {"series": series.name or "(none)"},
        "customdata": [" (incomplete)" if day in bars.pale else "" for day in bars.days],
        "hovertemplate": "%{fullData.name}<br>%{x|%a %-d %b}: %{y:,.2f}%{customdata}<extra></extra>",
    }  # fmt: skip


def _running(now: tuple[date, Decimal, str]) -> dict:
    """The running day: one pale bar, outside every series."""
    day, amount, until = now
    return {
        "type": "bar", "x": [day.isoformat()], "y": [float(round(amount, 2))], "name": f"to {until}", "meta": {"series": None},
        "marker": {"color": "var(--bg-3)", "line": {"color": "var(--line-2)", "width": 0.75}},
        "hovertemplate": "%{x|%a %-d %b}, %{fullData.name}: %{y:,.2f}<extra></extra>",
    }  # fmt: skip
