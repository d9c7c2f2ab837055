"""Request → Scope: the words of a URL, for pages, API and commands alike."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from finops.scope import GROUP_KEYS, Refused, Scope, Window
from finops.times import YEARS
from reports.windows import HOUR, hour_of, window_of

PLAIN = ("start", "end", "window", "group_by", "aggregate", "step")
STEP_WORDS = {
    "1h": "hour", "60m": "hour", "hourly": "hour", "1d": "day", "24h": "day", "daily": "day", "1w": "week", "7d": "week", "weekly": "week",
    "1mo": "month", "monthly": "month",
}  # fmt: skip

Params = Mapping[str, Sequence[str]]


def scope_from(
    params: Params, *, zone: ZoneInfo, now: datetime, also: Sequence[str] = (), window: str = "", week_starts: str = "monday"
) -> Scope:
    """`params`: name → every value given. `also`: names the caller reads itself. `window`: the word that
    stands for absent bounds; empty where a window must be named.

    Raises Refused, one line that names the parameter.
    """
    for name, values in params.items():
        _check(name, values, (*PLAIN, *also))
    step = _one(params, "step") or "total"
    return Scope(
        window=_window(params, zone=zone, now=now, word=window, week_starts=week_starts),
        group_by=_grouping(params),
        step=STEP_WORDS.get(step, step),
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


def _window(params: Params, *, zone: ZoneInfo, now: datetime, word: str, week_starts: str) -> Window:
    bounds = {name: _one(params, name) for name in ("start", "end")}
    named = _one(params, "window")
    if named and any(bounds.values()):
        raise Refused("window and start, end exclude each other")
    if "," in named:
        bounds = dict(zip(bounds, _pair(named), strict=True))
    elif (named or word) and not any(bounds.values()):
        return window_of(named or word, zone=zone, now=now, week_starts=week_starts)
    for name, text in bounds.items():
        if not text:
            raise Refused(f"{name} is missing: an ISO 8601 date or timestamp; end is exclusive")
    first, last = (instant(text, name=name, zone=zone) for name, text in bounds.items())
    if last <= first:
        raise Refused(f"end {bounds['end']} is not after start {bounds['start']}")
    return Window(first, last)


def _pair(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise Refused(f"window {text!r} is not two instants with a comma between")
    return parts


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
    if name in known and name not in ("group_by", "aggregate") and len(values) > 1:
        raise Refused(f"{name} is given {len(values)} times; once is enough")
    if any("\x00" in text for text in (name, *values)):
        raise Refused(f"{name!r} holds a NUL character")


def _one(params: Params, name: str) -> str:
    values = params.get(name) or ("",)
    return values[-1]


def _grouping(params: Params) -> tuple[str, ...]:
    """The group keys, of either name for them."""
    chosen = [name for name in ("group_by", "aggregate") if any(params.get(name, ()))]
    if len(chosen) > 1:
        raise Refused("aggregate is another name of group_by: one of them is enough")
    keys = [part.strip() for name in chosen for text in params[name] for part in text.split(",")]
    keys = [key for key in keys if key]
    for key in keys:
        if keys.count(key) > 1:
            raise Refused(f"{chosen[0]} names {key!r} {keys.count(key)} times; once is enough")
        if key == "label:":
            raise Refused(f"{chosen[0]} names a label without its name: label:<name>")
    return tuple(keys)
