"""Request → Scope: the words of a URL, for pages, API and commands alike."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from finops.scope import GROUP_KEYS, Refused, Scope, Window
from finops.times import YEARS

ROLLING = ("7d", "30d")
WORDS = (*ROLLING, "mtd", "lastmonth")
PLAIN = ("start", "end", "group_by", "step")
HOUR = timedelta(hours=1)

Params = Mapping[str, Sequence[str]]


def scope_from(params: Params, *, zone: ZoneInfo, now: datetime, also: Sequence[str] = (), window: str = "") -> Scope:
    """`params`: name → every value given. `also`: names the caller reads itself. `window`: the word that
    stands for absent bounds; empty where words are not known, then both bounds must be named.

    Raises Refused, one line that names the parameter.
    """
    known = (*PLAIN, *(("window",) if window else ()), *also)
    for name, values in params.items():
        _check(name, values, known)
    return Scope(
        window=_window(params, zone=zone, now=now, word=window),
        group_by=_listed(params, "group_by"),
        step=_one(params, "step") or "total",
        filters={name: tuple(values) for name, values in params.items() if _is_key(name)},
        excludes={name.removeprefix("exclude."): tuple(values) for name, values in params.items() if name.startswith("exclude.")},
    )


def instant(text: str, *, name: str, zone: ZoneInfo) -> datetime:
    """An ISO 8601 date or timestamp, in the zone unless it says otherwise, on the hour. → UTC"""
    moment = _parsed(text, name=name)
    if moment.year not in YEARS:
        raise Refused(f"{name} {text!r} is out of range")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    utc, before = moment.astimezone(UTC), hour_of(moment, zone)
    nearest = [point.astimezone(zone).isoformat() for point in (before, before + HOUR)]
    if utc != before:
        raise Refused(f"{name} {text} is not on the hour; the nearest are {nearest[0]} and {nearest[1]}")
    return utc


def hour_of(moment: datetime, zone: ZoneInfo) -> datetime:
    """The start of the zone's hour, UTC: where offsets are half hours it is not UTC's hour."""
    here = moment.astimezone(zone)
    into = timedelta(minutes=here.minute, seconds=here.second, microseconds=here.microsecond)
    return moment.astimezone(UTC) - into


def window_of(word: str, *, zone: ZoneInfo, now: datetime) -> Window:
    """Whole local days before today, the month up to this hour, or the month before it."""
    here = now.astimezone(zone)
    today, first = here.date(), here.date().replace(day=1)
    if word in ROLLING:
        return _days(today - timedelta(days=int(word[:-1])), today, zone)
    if word == "lastmonth":
        return _days((first - timedelta(days=1)).replace(day=1), first, zone)
    if word == "mtd":
        start = datetime.combine(first, time(), zone).astimezone(UTC)
        return Window(start, max(hour_of(now, zone), start + HOUR))
    raise Refused(f"unknown window {word!r}; known: {', '.join(WORDS)}")


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


def _local(start: datetime, end: datetime, zone: ZoneInfo) -> Window:
    return Window(*(hour_of(point.replace(tzinfo=zone), zone) for point in (start, end)))


def _days(start: date, end: date, zone: ZoneInfo) -> Window:
    return Window(*(datetime.combine(day, time(), zone).astimezone(UTC) for day in (start, end)))


def _window(params: Params, *, zone: ZoneInfo, now: datetime, word: str) -> Window:
    bounds = {name: _one(params, name) for name in ("start", "end")}
    named = _one(params, "window")
    if named and any(bounds.values()):
        raise Refused("window and start, end exclude each other")
    if word and not any(bounds.values()):
        return window_of(named or word, zone=zone, now=now)
    for name, text in bounds.items():
        if not text:
            raise Refused(f"{name} is missing: an ISO 8601 date or timestamp; end is exclusive")
    first, last = (instant(text, name=name, zone=zone) for name, text in bounds.items())
    if last <= first:
        raise Refused(f"end {bounds['end']} is not after start {bounds['start']}")
    return Window(first, last)


def _parsed(text: str, *, name: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        hint = "; write + as %2B in an address" if "T" in text and " " in text else ""
        raise Refused(f"{name} {text!r} is not an ISO 8601 date or timestamp{hint}") from None


def _is_key(name: str) -> bool:
    return name in GROUP_KEYS or (name.startswith("label:") and name != "label:")


def _check(name: str, values: Sequence[str], known: Sequence[str]) -> None:
    if name not in known and not _is_key(name.removeprefix("exclude.")):
        names = ", ".join((*known, *GROUP_KEYS, "label:<name>", "exclude.<key>"))
        raise Refused(f"unknown parameter {name!r}; known: {names}")
    if name in known and name != "group_by" and len(values) > 1:
        raise Refused(f"{name} is given {len(values)} times; once is enough")
    if any("\x00" in text for text in (name, *values)):
        raise Refused(f"{name!r} holds a NUL character")


def _one(params: Params, name: str) -> str:
    values = params.get(name) or ("",)
    return values[-1]


def _listed(params: Params, name: str) -> tuple[str, ...]:
    parts = (part.strip() for text in params.get(name, ()) for part in text.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
