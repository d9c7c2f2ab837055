"""Dates as pages print them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from finops.scope import Window


def moment(value: datetime, zone: ZoneInfo) -> str:
    """Mon 23 Nov 2026, 09:00"""
    here = value.astimezone(zone)
    return f"{here:%a} {here.day} {here:%b %Y, %H:%M}"


def day(value: datetime) -> str:
    return f"{value.day} {value:%b %Y}"


def span(window: Window, zone: ZoneInfo) -> str:
    """Whole days as a closed range, 16–22 Nov 2026; else both moments."""
    start, end = window.start.astimezone(zone), window.end.astimezone(zone)
    if start.hour or start.minute or end.hour or end.minute:
        return f"{moment(start, zone)} – {moment(end, zone)}"
    last = end.replace(tzinfo=None) - timedelta(days=1)
    if start.date() == last.date():
        return day(last)
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}–{day(last)}"
    return f"{start.day} {start:%b} – {day(last)}" if start.year == last.year else f"{day(start)} – {day(last)}"
