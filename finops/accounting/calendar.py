"""Hours, days, weeks and months of the reporting zone, as half-open UTC intervals."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

HOUR = timedelta(hours=1)


def is_on_the_hour(instant: datetime, *, zone: ZoneInfo) -> bool:
    """Whether a ledger hour of `zone` begins at `instant`."""
    local = instant.astimezone(zone)
    return not (local.minute or local.second or local.microsecond)


def hour_floor(instant: datetime, *, zone: ZoneInfo) -> datetime:
    """The beginning, in UTC, of the ledger hour that holds `instant`."""
    local = instant.astimezone(zone)
    return (instant - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)).astimezone(UTC)


def hours(start: datetime, end: datetime, *, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    """The ledger hours that begin in [start, end); shorter ones where the zone shifts by half an hour."""
    at = hour_floor(start, zone=zone)
    if at < start:
        at = next_hour(at, zone=zone)
    while at < end:
        after = next_hour(at, zone=zone)
        yield at, after
        at = after


def next_hour(at: datetime, *, zone: ZoneInfo) -> datetime:
    """The beginning of the ledger hour after the one that begins at `at`."""
    floor = hour_floor(at + HOUR, zone=zone)
    return floor if floor > at else at + HOUR


def local_day(instant: datetime, *, zone: ZoneInfo) -> date:
    """The day of the reporting zone that holds `instant`."""
    return instant.astimezone(zone).date()


def midnight(day: date, *, zone: ZoneInfo) -> datetime:
    """The UTC instant at which the local `day` begins."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def period_start(day: date, *, step: str, week_starts: int = 0) -> date:
    """The first day of the `step` (day, week or month) that holds `day`; Monday is 0."""
    if step == "week":
        return day - timedelta(days=(day.weekday() - week_starts) % 7)
    return day.replace(day=1) if step == "month" else day


def period_end(first: date, *, step: str) -> date:
    """The day after the period of that `step` which begins on `first`."""
    if step == "month":
        return (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    return first + timedelta(days=7 if step == "week" else 1)
