"""The sections ``budgets``, ``alerts`` and ``reports``: who is told what, and when."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from . import values
from .fields import Fields, Place
from .specs import AlertsSpec, BudgetSpec, CostSpikeSpec, LowUtilisationSpec, ReportsSpec, WeeklySpec

PERIODS = ("month", "quarter", "year")


def budgets(place: Place) -> tuple[BudgetSpec, ...]:
    """Every budget; a team has one per period."""
    found: list[BudgetSpec] = []
    lines: dict[tuple[str, str], int] = {}
    for item in place.items():
        budget = _budget(item)
        key = (budget.team, budget.period)
        if key in lines:
            item.refuse(f"{budget.team!r} already has a budget per {budget.period} on line {lines[key]}")
        elif all(key):
            lines[key] = item.node.line
        found.append(budget)
    return tuple(found)


def _budget(place: Place) -> BudgetSpec:
    fields = Fields(place, ("team", "period", "amount", "alert_at", "forecast"))
    alert_at = fields.get("alert_at")
    return BudgetSpec(
        team=fields.required("team", values.word, ""),
        period=fields.required("period", partial(values.one_of, known=PERIODS), ""),
        amount=fields.required("amount", values.positive, Decimal(1)),
        alert_at=_rising(alert_at) if alert_at else (),
        forecast=fields.optional("forecast", values.flag) or False,
    )


def _rising(place: Place) -> tuple[Decimal, ...]:
    found = place.list_of(values.positive)
    if list(found) != sorted(set(found)):
        place.refuse('must rise, like "[0.5, 0.8, 1.0]"')
    return found


def alerts(place: Place) -> AlertsSpec:
    """Thresholds; an absent one keeps its documented default."""
    fields = Fields(place, ("cost_spike", "low_utilisation"))
    spike, low = fields.get("cost_spike"), fields.get("low_utilisation")
    return AlertsSpec(_cost_spike(spike) if spike else None, _low_utilisation(low) if low else None)


def _cost_spike(place: Place) -> CostSpikeSpec:
    fields = Fields(place, ("above_weekly_mean", "minimum_cost"))
    return CostSpikeSpec(
        above_weekly_mean=fields.optional("above_weekly_mean", values.positive),
        minimum_cost=fields.optional("minimum_cost", values.not_negative),
    )


def _low_utilisation(place: Place) -> LowUtilisationSpec:
    fields = Fields(place, ("below", "for"))
    return LowUtilisationSpec(
        below=fields.optional("below", values.fraction),
        duration=fields.optional("for", values.duration),
    )


def reports(place: Place) -> ReportsSpec:
    """Reports by e-mail."""
    weekly = Fields(place, ("weekly",)).get("weekly")
    return ReportsSpec(_weekly(weekly) if weekly else None)


def _weekly(place: Place) -> WeeklySpec:
    fields = Fields(place, ("day", "hour", "to", "teams"))
    to = fields.need("to")
    return WeeklySpec(
        day=fields.required("day", partial(values.one_of, known=values.WEEKDAYS), ""),
        hour=fields.required("hour", partial(values.integer, least=0, most=23), 0),
        to=to.list_of(values.email) if to else (),
        teams=fields.optional("teams", values.flag) or False,
    )
