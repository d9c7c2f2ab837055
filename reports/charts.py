"""Figures for the page's one drawing script: colours by token name, resolved there."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal

import plotly.graph_objects as go

SMALLEST = Decimal("0.03")
MOST = 10
OTHER = "other"
APART = ("unallocated", "unassigned")

AXIS = {"showgrid": False, "zeroline": False, "fixedrange": True}
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
    "margin": {"l": 56, "r": 16, "t": 24, "b": 44},
    "hoverlabel": {"bgcolor": "var(--text)", "bordercolor": "var(--text)", "font": {"size": 12, "color": "var(--bg)"}},
}


def colours(teams: Sequence[str]) -> dict[str, str]:
    """Team → token name, `teams` in the order they were first shown; from the eleventh on it is other."""
    tokens = {team: f"team-{i}" if i <= MOST else "team-other" for i, team in enumerate(teams, 1)}
    return {**tokens, "unassigned": "team-other", "unallocated": "unallocated", OTHER: "team-other"}


def cost_per_day(rows: Sequence, *, tokens: Mapping[str, str], currency: str, zone: str) -> dict:
    """Stacked bars of the cost of each local day; rows are of (team, day). Small teams stand together."""
    cost: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    days = list(dict.fromkeys(row.period_start.date().isoformat() for row in rows))
    for row in rows:
        if row.cost is not None:
            cost[row.keys["team"]][row.period_start.date().isoformat()] += row.cost
    grouped = _grouped(cost)
    bars = [_bar(name, days, grouped[name], tokens) for name in _order(grouped)]
    figure = go.Figure(bars, layout=LAYOUT)
    figure.update_xaxes(
        **AXIS, showline=True, linecolor="var(--line-2)", ticks="outside", ticklen=4, tickcolor="var(--line-2)",
        type="date", tickformat="%-d %b", title={"text": f"day, {zone}", "font": {"size": 12}},
    )  # fmt: skip
    figure.update_yaxes(
        **{**AXIS, "showgrid": True},
        gridcolor="var(--line)",
        rangemode="tozero",
        nticks=6,
        title={"text": currency, "font": {"size": 12}},
    )
    return json.loads(figure.to_json())


def _grouped(cost: Mapping[str, Mapping[str, Decimal]]) -> dict[str, dict[str, Decimal]]:
    sums = {team: sum(days.values(), Decimal(0)) for team, days in cost.items()}
    least = SMALLEST * sum(sums.values(), Decimal(0))
    teams = sorted((team for team in sums if team != "unallocated"), key=lambda team: sums[team], reverse=True)
    shown = {team for team in teams[:MOST] if sums[team] >= least} | {"unallocated"}
    grouped: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for team, days in cost.items():
        for day, amount in days.items():
            grouped[team if team in shown else OTHER][day] += amount
    return grouped


def _order(grouped: Mapping[str, Mapping[str, Decimal]]) -> list[str]:
    """Largest at the bottom, then what stands together, unallocated on top."""
    rank = {OTHER: 1, "unallocated": 2}
    return sorted(grouped, key=lambda name: (rank.get(name, 0), -sum(grouped[name].values())))


def _bar(name: str, days: Sequence[str], amounts: Mapping[str, Decimal], tokens: Mapping[str, str]) -> go.Bar:
    marker: dict = {"color": f"var(--{tokens.get(name, 'team-other')})", "line": {"color": "var(--bg)", "width": 0.75}}
    if name == "unallocated":
        marker["line"]["color"] = "var(--line-2)"
        marker["pattern"] = {
            "shape": "/", "fgcolor": "var(--unallocated)", "bgcolor": "var(--bg)",
            "size": 6, "solidity": 0.12, "fillmode": "replace",
        }  # fmt: skip
    values = [float(round(amounts[day], 2)) if day in amounts else None for day in days]
    return go.Bar(
        x=list(days), y=values, name=name or "(none)", marker=marker,
        hovertemplate="%{fullData.name}<br>%{x|%a %-d %b}: %{y:,.2f}<extra></extra>",
    )  # fmt: skip
