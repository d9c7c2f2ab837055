"""Days of the reporting zone are as long as they were there."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.calendar import hour_floor, hours, is_on_the_hour, midnight, next_hour, period_end, period_start

BERLIN, KOLKATA, LORD_HOWE = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata"), ZoneInfo("Australia/Lord_Howe")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "after", "length"),
    [
        (date(2026, 10, 25), date(2026, 10, 26), 25),
        (date(2026, 3, 29), date(2026, 3, 30), 23),
        (date(2026, 3, 1), date(2026, 4, 1), 743),
        (date(2026, 10, 1), date(2026, 11, 1), 745),
        (date(2026, 6, 1), date(2026, 6, 2), 24),
    ],
)
def test_local_hours_of_berlin(first: date, after: date, length: int) -> None:
    start, end = midnight(first, zone=BERLIN), midnight(after, zone=BERLIN)
    found = list(hours(start, end, zone=BERLIN))
    assert len(found) == length
    assert end - start == timedelta(hours=length)
    assert found[0][0] == start
    assert found[-1][1] == end


def test_midnight_is_a_utc_instant() -> None:
    assert midnight(date(2026, 10, 25), zone=BERLIN) == utc(2026, 10, 24, 22)
    assert midnight(date(2026, 10, 26), zone=BERLIN) == utc(2026, 10, 25, 23)
    assert midnight(date(2026, 6, 1), zone=KOLKATA) == utc(2026, 5, 31, 18, 30)


def test_the_ledger_hour_of_a_half_hour_zone() -> None:
    assert hour_floor(utc(2026, 6, 1, 10, 17, 5), zone=KOLKATA) == utc(2026, 6, 1, 9, 30)
    assert hour_floor(utc(2026, 6, 1, 10, 17, 5), zone=BERLIN) == utc(2026, 6, 1, 10)
    assert is_on_the_hour(utc(2026, 6, 1, 9, 30), zone=KOLKATA)
    assert not is_on_the_hour(utc(2026, 6, 1, 10), zone=KOLKATA)
    assert next_hour(utc(2026, 6, 1, 9, 30), zone=KOLKATA) == utc(2026, 6, 1, 10, 30)


def test_only_hours_that_begin_inside_the_window() -> None:
    assert list(hours(utc(2026, 6, 1, 10, 1), utc(2026, 6, 1, 12), zone=BERLIN)) == [(utc(2026, 6, 1, 11), utc(2026, 6, 1, 12))]
    assert list(hours(utc(2026, 6, 1, 10), utc(2026, 6, 1, 10), zone=BERLIN)) == []


@pytest.mark.parametrize(("day", "length"), [(date(2026, 4, 5), 24.5), (date(2026, 10, 4), 23.5)])
def test_a_zone_that_shifts_by_half_an_hour_leaves_no_gap(day: date, length: float) -> None:
    start, end = midnight(day, zone=LORD_HOWE), midnight(day + timedelta(days=1), zone=LORD_HOWE)
    found = list(hours(start, end, zone=LORD_HOWE))
    assert end - start == timedelta(hours=length)
    assert (found[0][0], found[-1][1]) == (start, end)
    assert all(a[1] == b[0] for a, b in zip(found, found[1:], strict=False))


def test_periods() -> None:
    assert period_start(date(2026, 10, 29), step="week") == date(2026, 10, 26)
    assert period_start(date(2026, 10, 29), step="week", week_starts=6) == date(2026, 10, 25)
    assert period_start(date(2026, 10, 29), step="month") == date(2026, 10, 1)
    assert period_start(date(2026, 10, 29), step="day") == date(2026, 10, 29)
    assert period_end(date(2026, 2, 1), step="month") == date(2026, 3, 1)
    assert period_end(date(2026, 12, 1), step="month") == date(2027, 1, 1)
    assert period_end(date(2026, 10, 26), step="week") == date(2026, 11, 2)
    assert period_end(date(2026, 12, 31), step="day") == date(2027, 1, 1)


@given(st.dates(date(2020, 1, 1), date(2035, 1, 1)), st.sampled_from([BERLIN, KOLKATA, LORD_HOWE, ZoneInfo("America/St_Johns")]))
def test_hours_tile_every_day(day: date, zone: ZoneInfo) -> None:
    start, end = midnight(day, zone=zone), midnight(day + timedelta(days=1), zone=zone)
    found = list(hours(start, end, zone=zone))
    assert sum((b - a for a, b in found), timedelta()) == end - start
    assert {a.astimezone(zone).date() for a, _ in found} == {day}
