"""The explanation as JSON: decimals as strings, instants in the reporting zone, what does not exist as null."""

from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from finops.accounting.money import EXACT, display, stored
from finops.job.explanation import Explanation
from finops.queries import Row

INSTANTS = {"at", "begun", "over", "first", "last", "start", "end"}


def as_json(told: Explanation) -> dict[str, object]:
    """Plain values; a GPU count is a decimal string like hours and money."""
    found = _plain(told, ZoneInfo(told.zone))
    assert isinstance(found, dict)
    return found | {"teams": list(told.teams), "adds_up": not told.differences}


def _plain(value: object, zone: ZoneInfo, name: str = "") -> object:
    if isinstance(value, Row):
        return {
            key: figure
            for key, figure in value.as_json().items()
            if key not in value.keys and key not in ("unallocated_gpu_hours", "capacity_gpu_hours", "unallocated_cost", "distributed_cost")
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name), zone, each.name) for each in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item, zone) for key, item in value.items()}
    if name == "selector" and isinstance(value, tuple):
        return dict(value)
    if name == "times" and isinstance(value, tuple):
        return [{"gpus": _figure(gpus, zone, ""), "seconds": seconds} for gpus, seconds in value]
    if isinstance(value, tuple | list):
        return [_plain(item, zone) for item in value]
    return _figure(value, zone, name)


def _figure(value: object, zone: ZoneInfo, name: str) -> object:
    if isinstance(value, Decimal):
        return display(value)
    if isinstance(value, Fraction):
        return display(stored(EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))))
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat()
    if name in INSTANTS and isinstance(value, int):
        return datetime.fromtimestamp(value, zone).isoformat()
    return value
