"""A window as the pieces that are read one after the other, each with its rows' periods; local in the reporting zone, written in UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from finops.accounting.calendar import local_day, midnight, next_hour, period_end, period_start
from finops.scope import Window

GRAINS = ("hour", "day", "month")
QUARTER = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Period:
    """[start, end), UTC: an hour, a local day or a local month."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Piece:
    """What one statement reads: ledger hours of [start, end), one local day or month at most; `billing` is its local month.

    `periods`: the hours that may begin in the piece where each is a row's period, else the one day or month. Hours that were
    collected under a zone of another offset begin at its quarters.
    """

    start: datetime
    end: datetime
    periods: tuple[Period, ...]
    billing: Period


def pieces(window: Window, *, grain: str, zone: ZoneInfo) -> Iterator[Piece]:
    """In order of time; the first and the last may hold a part of their period only."""
    step = "month" if grain == "month" else "day"
    first = period_start(local_day(window.start, zone=zone), step=step)
    while (at := midnight(first, zone=zone)) < window.end:
        after = period_end(first, step=step)
        whole = Period(at, midnight(after, zone=zone))
        start, end = max(whole.start, window.start), min(whole.end, window.end)
        of_rows = tuple(_hours(start, end, zone)) if grain == "hour" else (whole,)
        yield Piece(start, end, of_rows, _month(first, zone))
        first = after


def within(window: Window, *, first: datetime, last: datetime) -> Window | None:
    """The part of the window in which there are ledger hours; None where there are none."""
    start, end = max(window.start, first), min(window.end, last + timedelta(hours=1))
    return Window(start, end) if start < end else None


def written(instant: datetime) -> str:
    """`2026-10-31T23:00:00Z`"""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _hours(start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Period]:
    at = start
    while at < end:
        yield Period(at, next_hour(at, zone=zone))
        at += QUARTER


def _month(day: date, zone: ZoneInfo) -> Period:
    first = period_start(day, step="month")
    return Period(midnight(first, zone=zone), midnight(period_end(first, step="month"), zone=zone))
