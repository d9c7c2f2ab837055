"""What the first-run pages write: the same rows, through the same door, as `apply` of a file. `by` is who did it."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from finops.apply import apply, source_of
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.configuration.specs import ClusterSpec, Configuration, ExchangeRate, PrometheusSpec, RateSpec, TeamRule
from finops.export import configuration
from finops.export import source_of as typed_source
from finops.list_prices import Offer, accept
from finops.models import Cluster, Trial
from finops.price_list import bring_in
from finops.scope import Refused

log = logging.getLogger(__name__)


def ask(source: PrometheusSpec, *, by: str, now: datetime) -> Trial:
    """A source to be examined; whoever examines finds the row by its number."""
    _told(by, f"asked what {source.url} holds")
    return Trial.objects.create(source=source_of(source), asked_by=by, asked_at=now)


def trial(number: int) -> Trial | None:
    """The trial of that number."""
    return Trial.objects.filter(pk=number).first()


def is_first() -> bool:
    """Whether there never was a cluster: currency and zone are chosen before there is anything to account."""
    return not Cluster.objects.exists()


def unheard(trial: Trial, problem: str) -> None:
    """The trial could not even be handed on; `problem` is one line with the cure."""
    Trial.objects.filter(pk=trial.pk).update(state="failed", problem=problem)


def connect(
    trial: Trial, *, name: str, currency: str | None = None, timezone: str | None = None, by: str, now: datetime
) -> Cluster:
    """The trial's source as a cluster. Refused where the name is taken; Invalid for what the file would refuse too."""
    with transaction.atomic():
        _alone()
        current = configuration(now=now).clusters or ()
        if name in {spec.name for spec in current}:
            raise Refused(f"a cluster {name!r} exists already; choose another name")
        added = ClusterSpec(name, typed_source(trial.source))
        _write(Configuration(currency=currency, timezone=timezone, clusters=(*current, added)), by=by, now=now)
        return Cluster.objects.get(name=name)


def save_teams(rules: Sequence[TeamRule], *, by: str, now: datetime) -> list[str]:
    """The whole list of team rules, in this order; every hour is accounted again. Raises Invalid."""
    with transaction.atomic():
        _alone()
        return _write(Configuration(teams=tuple(rules)), by=by, now=now)


def save_prices(
    rates: Sequence[RateSpec], *, offers: Sequence[Offer] = (), exchange: Sequence[ExchangeRate] = (), by: str, now: datetime
) -> list[str]:
    """Rates and accepted list prices beside the rates that are there, and what turns their currencies into the reporting one.

    A list price gives way to a rate for the same GPUs. All of it or nothing: Invalid, or Refused where an exchange rate is missing.
    """
    with transaction.atomic():
        _alone()
        changes = []
        if exchange:
            current = configuration(now=now).exchange_rates or ()
            changes += apply(parse(dump(Configuration(exchange_rates=(*current, *exchange)))), now=now)
        if rates:
            changes += bring_in(parse(dump(Configuration(rates=tuple(rates)))).rates or (), now=now)
        changes += accept(offers, now=now) if offers else []
        for line in changes:
            _told(by, line)
        return changes


def _write(wanted: Configuration, *, by: str, now: datetime) -> list[str]:
    """Through the file's own reader, so that nothing is stored which an exported file could not hold."""
    changes = apply(parse(dump(wanted)), now=now)
    for line in changes:
        _told(by, line)
    return changes


def _alone() -> None:
    """Two people who save at once follow one another: each list is read and written whole."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtext('configuration file'))")


def _told(by: str, what: str) -> None:
    """The one place that learns who changed what."""
    log.info("%s: %s", by, what)
