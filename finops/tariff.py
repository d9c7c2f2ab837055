"""The rates that hold in a window, as they were entered, for those who may see them."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import connection

from finops.accounting.money import display
from finops.accounting.rates import SPECIFICITY, Asked
from finops.models import Rate, Setting
from finops.scope import Scope
from finops.selection import select_names


@dataclass(frozen=True, slots=True)
class Entered:
    """A rate of the price list. `period_start` and `keys`: a page of rates is cut as one of costs."""

    rate: Rate
    period_start: None = None

    @property
    def keys(self) -> dict[str, str]:
        return {"id": str(self.rate.pk)}

    def as_json(self, zone: ZoneInfo) -> dict[str, object]:
        rate = self.rate
        return {name: getattr(rate, name) for name in SPECIFICITY} | {
            "price": display(rate.price),
            "instance_price": display(rate.instance_price),
            "weights": rate.weights,
            "currency": rate.currency,
            "from": _told(rate.start, zone),
            "until": _told(rate.end, zone),
            "origin": rate.origin,
        }


def rates(scope: Scope) -> list[Entered]:
    """The rates of which some validity lies in the scope's window, in the order they were entered.

    Whose scope is of some teams sees the rates that fit what these teams' pods held in the window, and no other.
    """
    window = scope.window
    found = [rate for rate in Rate.objects.order_by("id") if _overlaps(rate, window.start, window.end)]
    if scope.teams is not None:
        held = _held(scope)
        found = [rate for rate in found if any(rate.as_rate().matches(asked) for asked in held)]
    return [Entered(rate) for rate in found]


def _overlaps(rate: Rate, start: datetime, end: datetime) -> bool:
    return (rate.start is None or rate.start < end) and (rate.end is None or rate.end > start) and not (rate.start and rate.start == rate.end)


def _held(scope: Scope) -> list[Asked]:
    """The kinds of GPU that lines of the scope are of."""
    zone = ZoneInfo((Setting.objects.first() or Setting()).timezone)
    sql, params = select_names(scope, keys=SPECIFICITY, columns=(), zone=zone)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [Asked(*record) for record in cursor.fetchall()]


def _told(at: datetime | None, zone: ZoneInfo) -> str | None:
    return at.astimezone(zone).isoformat() if at else None
