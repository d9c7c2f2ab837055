"""The chart of an overview: at least 30 days up to the window's end, and the running day."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from finops import queries
from finops.accounting.calendar import local_day, midnight
from finops.scope import Scope, Window
from reports.charts import BUCKETS, Bars, Frame, by_team, by_use, stacked
from reports.pages.comparison import Before
from reports.pages.dates import day as day_text
from reports.pages.dates import span
from reports.pages.state import State
from reports.templatetags.figures import MONEY, apportioned, money

DAYS = 30
APART = timedelta(days=4)  # the words over two shorter windows side by side would cover each other
DAILY, WEEKLY = 100, 700  # days up to which a bar is a day, a week


@dataclass(frozen=True)
class Chart:
    """`json`: the figure for the drawing script. `heads`, `table`: the same numbers as text. `unit`: what a bar is."""

    json: str
    unit: str
    range: str
    running: str
    heads: list[str]
    table: list[tuple[str, list[Decimal | None], Decimal | None]]


def range_of(scope: Scope, *, as_of: datetime | None, zone: ZoneInfo) -> Scope:
    """The scope of the chart's rows: by team and period; today belongs to it where the window ends with yesterday."""
    start, end = scope.window.start, scope.window.end
    last = local_day(end - timedelta(seconds=1), zone=zone)
    start = min(start, midnight(last - timedelta(days=DAYS - 1), zone=zone))
    if as_of is not None and end < as_of and local_day(as_of, zone=zone) == local_day(end, zone=zone):
        end = as_of
    length = (end - start).days
    step = "day" if length <= DAILY else "week" if length <= WEEKLY else "month"
    return replace(scope, window=Window(start, end), group_by=("team",), step=step)


def whole_days(rows: Sequence, *, window: Window) -> list[tuple[datetime, object]]:
    """Each period that is whole by the window's end, with its sums."""
    found: dict[datetime, list] = {}
    for row in rows:
        if row.period_end <= window.end:
            found.setdefault(row.period_start, []).append(row)
    return [(start, queries.together(of)) for start, of in sorted(found.items())]


def chart_of(
    rows: Sequence, asked: Scope, *, scope: Scope, before: Before, total, state: State, tokens: Mapping[str, str],
    pale: frozenset[date], zone: ZoneInfo,
) -> Chart:  # fmt: skip
    """`rows`: of `asked`, the chart's own range; `scope`: the page's."""
    cost = by_use(rows) if state.chart == "use" else by_team(rows)
    days = _periods(rows, asked, zone)
    now = _running(rows, asked, zone)
    bars = Bars(cost, days, asked.step, pale, now)
    colours = {bucket: bucket for bucket in BUCKETS} if state.chart == "use" else tokens
    unit = total.currency
    frame = Frame(unit, zone.key, colours, _braces(scope, before, total, zone) if asked.step == "day" else ())
    shown = Window(midnight(days[0], zone=zone), scope.window.end) if now is None or now[0] > days[0] else asked.window
    running = f"the bar of {day_text(now[0], year=False)} ends at {now[2]}" if now else ""
    heads = [name or "(none)" for name in cost]
    return Chart(json.dumps(stacked(bars, frame)), asked.step, span(shown, zone, year=False), running, heads, _table(cost, days, now))


def _periods(rows: Sequence, asked: Scope, zone: ZoneInfo) -> list[date]:
    """The first day of every bar, of days also those without money: a gap is a gap."""
    if asked.step != "day":
        return sorted({row.period_start.date() for row in rows})
    first, last = local_day(asked.window.start, zone=zone), local_day(asked.window.end - timedelta(seconds=1), zone=zone)
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _running(rows: Sequence, asked: Scope, zone: ZoneInfo) -> tuple[date, Decimal, str] | None:
    until = asked.window.end.astimezone(zone)
    if asked.step != "day" or not (until.hour or until.minute):
        return None
    today = [row.cost for row in rows if row.period_start.date() == until.date() and row.cost is not None]
    return until.date(), sum(today, Decimal(0)), f"{until:%H:%M}"


def _braces(scope: Scope, before: Before, total, zone: ZoneInfo) -> tuple:
    windows = [(scope.window, total.cost, True)]
    if not before.why_not and _length(scope) >= APART:
        windows.append((before.scope.window, before.total.cost, False))
    return tuple(
        (
            local_day(window.start, zone=zone),
            local_day(window.end - timedelta(seconds=1), zone=zone) + timedelta(days=1),
            span(window, zone, year=False),
            "" if cost is None else money(cost),
            is_window,
        )
        for window, cost, is_window in windows
    )


def _length(scope: Scope) -> timedelta:
    return scope.window.end - scope.window.start


def _table(cost: Mapping, days: Sequence[date], now: tuple | None) -> list[tuple[str, list[Decimal | None], Decimal | None]]:
    """A row per bar, latest first; its figures add up to its sum."""
    lines = []
    for at in reversed(days):
        amounts = [amounts.get(at) for amounts in cost.values()]
        known = [amount for amount in amounts if amount is not None]
        whole = sum(known, Decimal(0)) if known else None
        name = day_text(at, year=False) + (f", to {now[2]}" if now and at == now[0] else "")
        lines.append((f"{at:%a} {name}", apportioned(amounts, whole, MONEY), whole))
    return lines
