"""A changed file over a database that others changed as well: whose word counts, entry by entry."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from .specs import ClusterSpec, Configuration, RateSpec

SETTINGS = ("currency", "timezone", "week_starts")
MERGED = (*SETTINGS, "exchange_rates", "clusters", "teams", "rates")
Key = tuple[str, Hashable]


@dataclass(frozen=True, slots=True)
class Merged:
    """What to apply, and a line for each entry that stays although the file says otherwise."""

    configuration: Configuration
    kept: tuple[str, ...]


def merge(wanted: Configuration, *, base: Configuration, current: Configuration, now: datetime) -> Merged:
    """`wanted`, save the entries of its sections in which `current` no longer is what `base` was: those stay.

    `base` is what the file's last application meant, `current` what the database holds. `teams` is one entry, since its
    order decides. A rate that has ended counts as absent.
    """
    was, held, asked = (_entries(each) for each in (base, current, wanted))
    chosen, kept = dict(asked), []
    for key in dict.fromkeys((*asked, *held, *was)):
        edited = _said(was.get(key), now) != _said(held.get(key), now)
        if getattr(wanted, key[0]) is None or not edited or _said(held.get(key), now) == _said(asked.get(key), now):
            continue
        kept.append(f"{_named(key, held.get(key, asked.get(key)))}: edited since the file was last applied; kept")
        chosen.pop(key, None)
        if key in held:
            chosen[key] = held[key]
    return Merged(_rebuilt(wanted, chosen), tuple(kept))


def _entries(configuration: Configuration) -> dict[Key, Any]:
    """Every entry by its section and what tells it from the section's others."""
    found: dict[Key, Any] = {}
    for section in MERGED:
        content = getattr(configuration, section)
        if section in (*SETTINGS, "teams"):
            found |= {} if content is None else {(section, ""): content}
        else:
            found |= {(section, _identity(entry)): entry for entry in content or ()}
    return found


def _identity(entry: Any) -> Hashable:
    match entry:
        case ClusterSpec():
            return entry.name
        case RateSpec():
            return replace(entry, end=None, line=0)
    return entry.currency, entry.start


def _said(entry: Any, now: datetime) -> Any:
    """What two versions of an entry are compared by."""
    match entry:
        case ClusterSpec(unallocated_policy=None):
            return replace(entry, unallocated_policy="keep")
        case RateSpec():
            return None if entry.end is not None and entry.end <= now else entry
    return entry


def _named(key: Key, entry: Any) -> str:
    match entry:
        case ClusterSpec():
            return f"cluster {entry.name}"
        case RateSpec():
            shortest = {name: price and price.normalize() for name in ("price", "instance_price") for price in (getattr(entry, name),)}
            return f"rate {replace(entry, **shortest)}"
    return key[0].replace("_", " ")


def _rebuilt(wanted: Configuration, chosen: Mapping[Key, Any]) -> Configuration:
    """`wanted` with the entries chosen; sections that are absent stay absent."""
    present = [section for section in MERGED if getattr(wanted, section) is not None]
    content: dict[str, Any] = {}
    for section in present:
        entries = tuple(entry for key, entry in chosen.items() if key[0] == section)
        single = section in (*SETTINGS, "teams")
        content[section] = (entries[0] if entries else getattr(wanted, section)) if single else entries
    return replace(wanted, **content)
