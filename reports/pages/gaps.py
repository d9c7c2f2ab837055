"""What is incomplete, in words: windows without data, hours without a price."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from finops.accounting.calendar import local_day, midnight
from finops.scope import Window
from reports.pages.dates import day, moment, stretch
from reports.templatetags.figures import hours

NAMED = 5  # of each kind; the API lists every one
STATES = {"missing": "not collected yet", "leased": "being collected", "failed": "the collection failed", "partial": "some samples miss"}

Entry = dict[str, str]


def phrases(entries: Sequence[Entry], zone: ZoneInfo, *, as_of: datetime | None) -> list[str]:
    """Windows that touch as one: eks-prod, Wed 18 Nov 02:00–04:00 (the source has no samples)."""
    found = []
    for (cluster, why), spans in _by_reason(entries).items():
        for start, end in _merged(spans):
            if as_of is not None and start >= as_of:
                found.append((start, f"{cluster}, from {moment(start, zone)} on ({why})"))
            else:
                found.append((start, f"{cluster}, {stretch(start, end, zone)} ({why})"))
    texts = [text for _, text in sorted(found)]
    return texts if len(texts) <= NAMED else [*texts[:NAMED], f"and {len(texts) - NAMED} more"]


def within(entries: Iterable[Entry], window: Window) -> list[Entry]:
    """Those that touch the window."""
    return [entry for entry in entries if _span(entry)[0] < window.end and _span(entry)[1] > window.start]


def days_of(entries: Iterable[Entry], zone: ZoneInfo) -> set[date]:
    """The local days that miss something."""
    found = set()
    for start, end in map(_span, entries):
        at, last = start.astimezone(zone).date(), (end - timedelta(seconds=1)).astimezone(zone).date()
        while at <= last:
            found.add(at)
            at += timedelta(days=1)
    return found


def odd_days(window: Window, zone: ZoneInfo) -> list[str]:
    """Days of the window that are longer or shorter than 24 hours, where the zone's offset changes."""
    at, last = local_day(window.start, zone=zone), local_day(window.end - timedelta(seconds=1), zone=zone)
    found = []
    while at <= last:
        length = midnight(at + timedelta(days=1), zone=zone) - midnight(at, zone=zone)
        if length != timedelta(days=1):
            found.append(f"{day(at, year=False)} has {length // timedelta(hours=1)} hours")
        at += timedelta(days=1)
    return found


def unpriced(rows: Sequence) -> list[str]:
    """Hours without a price by model and pool; `rows` are of both."""
    missing: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row in rows:
        if row.hours("unpriced"):
            missing[row.keys["gpu_model"], row.keys["node_pool"]] += row.hours("unpriced")
    most = sorted(missing.items(), key=lambda item: -item[1])
    return [f"{hours(amount)} GPU-h of {model or 'no model'}{f' in {pool}' if pool else ''}" for (model, pool), amount in most[:NAMED]]


def _by_reason(entries: Iterable[Entry]) -> dict[tuple[str, str], list[tuple[datetime, datetime]]]:
    found = defaultdict(list)
    for entry in entries:
        why = entry.get("reason") or STATES.get(entry.get("state", ""), entry.get("state", ""))
        found[entry["cluster"], why].append(_span(entry))
    return found


def _merged(spans: Iterable[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    merged: list[tuple[datetime, datetime]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _span(entry: Entry) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(entry["start"]), datetime.fromisoformat(entry["end"])
