"""A window against the period before it: only where both are whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from finops import collection, queries
from finops.scope import Scope
from reports.pages.dates import moment, span
from reports.templatetags.figures import Number, changed, points, rounded
from reports.windows import TO_DATE, before, rolling


@dataclass(frozen=True)
class Before:
    """The same question of the period before; `why_not` says why nothing is compared, and then `rows` are none."""

    scope: Scope
    span: str
    why_not: str
    rows: Sequence

    @property
    def total(self):
        return queries.together(self.rows)


@dataclass(frozen=True)
class Change:
    """A change as printed: sign and figure, then direction and against what."""

    figure: str
    words: str


def period_before(scope: Scope, *, as_of: datetime | None, zone: ZoneInfo, cells: Sequence[str], word: str) -> Before:
    """`cells`: the group keys of its rows. `word`: what the window is called, if anything."""
    earlier = before(scope.window, zone=zone, to_date=word in TO_DATE, rolling=rolling(word))
    earlier = replace(scope, window=earlier, group_by=tuple(cells))
    year = earlier.window.start.astimezone(zone).year != scope.window.end.astimezone(zone).year
    name = span(earlier.window, zone, year=year)
    begins = queries.beginning(scope)
    if as_of is not None and as_of < scope.window.end:
        return Before(earlier, name, f"data up to {moment(as_of, zone)}; no comparison", ())
    if begins is not None and begins > earlier.window.start:
        whose = "the data of every cluster begin" if len(collection.clusters()) > 1 else "data begin"
        return Before(earlier, name, f"{whose} {moment(begins, zone)}; no comparison with {name}", ())
    rows = queries.rows_of(earlier)
    return Before(earlier, name, "" if rows else f"nothing in {name}; no comparison", rows)


def relative(now: Number, then: Number, before: Before) -> Change | None:
    """Of an amount: +8.8% more than 9–15 Nov."""
    if now is None or then is None or before.why_not:
        return None
    difference = Decimal(now) - Decimal(then)
    part = queries.ratio(difference, Decimal(then))
    if part is None:
        return None
    return Change(changed(part), f"{_direction(rounded(part, 3), 'more than', 'less than')} {before.span}")


def absolute(now: float | None, then: float | None, before: Before) -> Change | None:
    """Of a ratio, in points: −1.1 points, below 9–15 Nov."""
    if now is None or then is None or before.why_not:
        return None
    difference = Decimal(str(now)) - Decimal(str(then))
    return Change(points(difference), f"points, {_direction(rounded(difference, 3), 'above', 'below')} {before.span}")


def _direction(difference: Decimal | None, more: str, less: str) -> str:
    """Of a difference as printed: what rounds to nothing is the same."""
    difference = difference or Decimal(0)
    return more if difference > 0 else less if difference < 0 else "as in"
