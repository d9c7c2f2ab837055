"""Pieces of windows, told by the clock of Zurich: the 25th of October 2026 has 25 hours, the 29th of March 23."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from finops.scope import Window
from reports.exports.periods import Period, pieces, within, written

ZURICH = ZoneInfo("Europe/Zurich")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def days(start: str, end: str, grain: str = "day") -> list[tuple[str, str]]:
    return [(written(p.start), written(p.end)) for piece in pieces(Window(utc(start), utc(end)), grain=grain, zone=ZURICH) for p in piece.periods]


def test_days_of_23_and_25_hours() -> None:
    assert days("2026-03-28T23:00", "2026-03-29T22:00") == [("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")]
    assert days("2026-10-24T22:00", "2026-10-25T23:00") == [("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")]


def test_a_ragged_window_has_whole_periods_and_reads_its_own_hours() -> None:
    first, last = pieces(Window(utc("2026-11-16T10:00"), utc("2026-11-17T12:00")), grain="day", zone=ZURICH)
    assert (first.start, first.end) == (utc("2026-11-16T10:00"), utc("2026-11-16T23:00"))
    assert (last.start, last.end) == (utc("2026-11-16T23:00"), utc("2026-11-17T12:00"))
    assert first.periods == (Period(utc("2026-11-15T23:00"), utc("2026-11-16T23:00")),)


def test_months_and_the_billing_month_of_a_day() -> None:
    assert days("2026-10-31T23:00", "2026-12-31T23:00", "month") == [
        ("2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"), ("2026-11-30T23:00:00Z", "2026-12-31T23:00:00Z"),
    ]  # fmt: skip
    (piece,) = pieces(Window(utc("2026-11-30T23:00"), utc("2026-12-01T23:00")), grain="day", zone=ZURICH)
    assert piece.billing == Period(utc("2026-11-30T23:00"), utc("2026-12-31T23:00"))


def test_hours_are_an_hour_long_wherever_they_may_begin() -> None:
    """Kolkata's hours begin at UTC's half hours; lines of full UTC hours, from before the zone was chosen, end at the next hour of it."""
    kolkata = ZoneInfo("Asia/Kolkata")
    (piece,) = pieces(Window(utc("2026-11-15T18:30"), utc("2026-11-15T20:30")), grain="hour", zone=kolkata)
    found = {written(p.start)[11:16]: written(p.end)[11:16] for p in piece.periods}
    assert (found["18:30"], found["19:30"]) == ("19:30", "20:30")
    assert found["19:00"] == "19:30"


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        ("2026-11-01T00:00", "2026-11-05T07:00", ("2026-11-03T00:00", "2026-11-05T08:00")),
        ("2026-11-04T00:00", "2026-12-05T00:00", ("2026-11-04T00:00", "2026-11-10T00:00")),
        ("2026-12-01T00:00", "2026-12-05T00:00", None),
    ],
)
def test_only_where_the_ledger_is(first: str, last: str, found: tuple[str, str] | None) -> None:
    window = Window(utc("2026-11-03T00:00"), utc("2026-11-10T00:00"))
    assert within(window, first=utc(first), last=utc(last)) == (Window(*map(utc, found)) if found else None)
