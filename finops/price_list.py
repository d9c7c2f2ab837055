"""A price list into the database: its rates join those that are there."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from finops.apply import apply
from finops.configuration.fields import overlapping
from finops.configuration.prices import selector
from finops.configuration.problems import Invalid, Problem
from finops.configuration.specs import Configuration, RateSpec
from finops.export import rate_of
from finops.models import Rate

LIST = "list"


def bring_in(rates: Sequence[RateSpec], *, now: datetime, origin: str = "", dry_run: bool = False) -> list[str]:
    """Adds the rates, in one transaction; returns one line per change, none the second time.

    A rate that is there with another `until` takes the new one. List prices give way to a price from elsewhere, their past
    too: they were stand-ins. Raises Invalid where a rate would hold for the same GPUs at the same time as another.
    """
    with transaction.atomic():
        stored = [(row, rate_of(row)) for row in Rate.objects.order_by("id")]
        changes = [] if origin == LIST else _replaced([pair for pair in stored if pair[0].origin == LIST], rates)
        known = {_key(rate) for rate in rates}
        others = [rate for row, rate in stored if row.pk and (rate.end is None or rate.end > now) and _key(rate) not in known]
        _refuse_overlap(rates, others)
        before = set(Rate.objects.values_list("pk", flat=True))
        changes += apply(Configuration(rates=(*others, *rates)), now=now, dry_run=False)
        Rate.objects.exclude(pk__in=before).update(origin=origin)
        transaction.set_rollback(dry_run)
    return changes


def _key(rate: RateSpec) -> tuple:
    """A rate but for its end: what apply takes for the same rate."""
    return replace(rate, end=None, line=0), selector(rate)


def _replaced(listed: list[tuple[Rate, RateSpec]], rates: Sequence[RateSpec]) -> list[str]:
    """List prices out of the way of the rates; the row's key is None afterwards where it is gone."""
    changes = []
    for row, old in listed:
        if any(selector(old) == selector(new) and _overlap(old, new) for new in rates):
            row.delete()
            changes.append(f"rate {old}: list price replaced")
    return changes


def _overlap(one: RateSpec, other: RateSpec) -> bool:
    return overlapping((one.start, one.end), (other.start, other.end))


def _refuse_overlap(rates: Sequence[RateSpec], others: Sequence[RateSpec]) -> None:
    problems = [
        Problem(new.line, "", f"applies to the same GPUs at the same time as the rate of {old.amount:f} {old.currency} "
                              f"from {old.start.date() if old.start else 'ever'}; end that one: repeat it in this file with an until")
        for new in rates for old in others if selector(new) == selector(old) and _overlap(new, old)
    ]  # fmt: skip
    if problems:
        raise Invalid(problems)
