"""Dates as pages print them."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from finops.scope import Window


def moment(value: datetime, zone: ZoneInfo) -> str:
    """Mon 23 Nov 2026, 09:00"""
    here = value.astimezone(zone)
    return f"{here:%a} {here.day} {here:%b %Y, %H:%M}"


def day(value: date, *, year: bool = True) -> str:
    return f"{value.day} {value:%b %Y}" if year else f"{value.day} {value:%b}"


def span(window: Window, zone: ZoneInfo, *, year: bool = True) -> str:
    """Whole days as a closed range, 16–22 Nov 2026; a last day that is cut says until when; else both moments."""
    start, end = (point.astimezone(zone) for point in (window.start, window.end))
    if start.hour or start.minute:
        return f"{moment(start, zone)} – {moment(end, zone)}"
    if end.hour or end.minute:
        return f"{days(start.date(), end.date(), year=year)}, to {end:%H:%M}"
    return days(start.date(), end.date() - timedelta(days=1), year=year)


def days(first: date, last: date, *, year: bool = True) -> str:
    """A closed range of days."""
    if first == last:
        return day(last, year=year)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{day(last, year=year)}"
    if first.year == last.year:
        return f"{day(first, year=False)} – {day(last, year=year)}"
    return f"{day(first)} – {day(last)}"


def stretch(start: datetime, end: datetime, zone: ZoneInfo) -> str:
    """A time within a day shortly, Wed 18 Nov 02:00–04:00; a longer one by both its moments."""
    here, until = start.astimezone(zone), end.astimezone(zone)
    if here.date() == (until - timedelta(seconds=1)).date():
        last = "24:00" if until.date() != here.date() else f"{until:%H:%M}"
        return f"{here:%a} {here.day} {here:%b %H:%M}–{last}"
    return f"{moment(here, zone)} – {moment(until, zone)}"
