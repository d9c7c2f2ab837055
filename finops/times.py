"""Times as people type them: ISO 8601, in the reporting zone where no offset stands."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from finops.accounting.calendar import hour_floor, is_on_the_hour, next_hour
from finops.scope import Refused, Window

YEARS = range(1970, 9000)  # periods before and after them can still be told


def instant(text: str, *, zone: ZoneInfo, name: str) -> datetime:
    """A date or timestamp as UTC; Refused, naming the nearest hours, where it is off the hour."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{name}: {text!r} is not an ISO 8601 date or timestamp, like 2026-10-01 or 2026-10-01T14:00") from None
    if at.year not in YEARS:
        raise Refused(f"{name}: {text} is out of range")
    at = (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    if not is_on_the_hour(at, zone=zone):
        before = hour_floor(at, zone=zone)
        near = " and ".join(t.astimezone(zone).isoformat() for t in (before, next_hour(before, zone=zone)))
        raise Refused(f"{name}: {text} is not on the hour; the nearest hours are {near}")
    return at


def window(start: str, end: str, *, zone: ZoneInfo) -> Window:
    """[start, end) from two texts."""
    first, last = instant(start, zone=zone, name="start"), instant(end, zone=zone, name="end")
    if last <= first:
        raise Refused(f"end {end} is not after start {start}")
    return Window(first, last)


def now() -> datetime:
    """The one place where the schedule reads the clock."""
    return datetime.now(UTC)


def settled(now: datetime) -> datetime:
    """The instant up to which sources have surely stored their samples: two minutes ago."""
    return (now - timedelta(minutes=2)).replace(second=0, microsecond=0)
