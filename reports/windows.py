"""The words for a window, for pages and API alike, and the period a window is compared with. Days, weeks and months are the
reporting zone's, and hours whole.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from finops.scope import Refused, Window

WORDS = ("<n>h", "<n>d", "<n>w", "today", "yesterday", "week", "lastweek", "month", "mtd", "lastmonth")
TO_DATE = ("mtd", "month")
SPAN = re.compile(r"([1-9][0-9]{0,4})([hdw])")
WEEK_STARTS = {"monday": 0, "saturday": 5, "sunday": 6}
HOUR = timedelta(hours=1)


def window_of(word: str, *, zone: ZoneInfo, now: datetime, week_starts: str = "monday") -> Window:
    """`7d`, `2w`: so many whole days before today; `24h`: so many hours before this one. `today`, `week`, `month`: up to this hour,
    an hour at least; `yesterday`, `lastweek`, `lastmonth`: the whole one before. `mtd` is `month`.

    Raises Refused with the words that are known.
    """
    today = now.astimezone(zone).date()
    if found := SPAN.fullmatch(word):
        return _back(int(found[1]), found[2], today=today, zone=zone, now=now)
    since = (today.weekday() - WEEK_STARTS.get(week_starts, 0)) % 7
    first = {"day": today, "week": today - timedelta(days=since), "month": today.replace(day=1)}
    if word in ("today", "week", *TO_DATE):
        return _until_now(first[{"today": "day", "week": "week"}.get(word, "month")], zone, now)
    if word == "yesterday":
        return _days(today - timedelta(days=1), today, zone)
    if word == "lastweek":
        return _days(first["week"] - timedelta(days=7), first["week"], zone)
    if word == "lastmonth":
        return _days((first["month"] - timedelta(days=1)).replace(day=1), first["month"], zone)
    raise Refused(f"unknown window {word!r}; known: {', '.join(WORDS)}, and two instants with a comma between")


def rolling(word: str) -> bool:
    """Whether the word means so many hours or days, whatever the calendar."""
    return SPAN.fullmatch(word) is not None


def hour_of(moment: datetime, zone: ZoneInfo) -> datetime:
    """The start of the zone's hour, UTC: where offsets are half hours it is not UTC's hour."""
    here = moment.astimezone(zone)
    into = timedelta(minutes=here.minute, seconds=here.second, microseconds=here.microsecond)
    return moment.astimezone(UTC) - into


def before(window: Window, *, zone: ZoneInfo, to_date: bool = False, rolling: bool = False) -> Window:
    """The period that a window is compared with: of a month the month before; of a month `to_date` the month
    before up to the same day and hour; of anything else, and of `rolling` days that happen to be a month, as many
    local days and hours just before it.
    """
    start, end = (point.astimezone(zone).replace(tzinfo=None) for point in (window.start, window.end))
    first = datetime.combine(start.date().replace(day=1), time())
    following = (first + timedelta(days=32)).replace(day=1)
    if rolling or start != first or end > following or not (to_date or end == following):
        return _local(start - (end - start), start, zone)
    earlier = (first - timedelta(days=1)).replace(day=1)
    return _local(earlier, first if end == following else min(earlier + (end - start), first), zone)


def _back(count: int, unit: str, *, today: date, zone: ZoneInfo, now: datetime) -> Window:
    if unit == "h":
        end = hour_of(now, zone)
        return Window(end - count * HOUR, end)
    days = timedelta(days=count * (7 if unit == "w" else 1))
    if days.days > 36_600:
        raise Refused(f"window '{count}{unit}' is longer than any ledger")
    return _days(today - days, today, zone)


def _until_now(first: date, zone: ZoneInfo, now: datetime) -> Window:
    start = datetime.combine(first, time(), zone).astimezone(UTC)
    return Window(start, max(hour_of(now, zone), start + HOUR))


def _local(start: datetime, end: datetime, zone: ZoneInfo) -> Window:
    return Window(*(hour_of(point.replace(tzinfo=zone), zone) for point in (start, end)))


def _days(start: date, end: date, zone: ZoneInfo) -> Window:
    return Window(*(datetime.combine(day, time(), zone).astimezone(UTC) for day in (start, end)))
