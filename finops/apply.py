"""A configuration file into the database: one transaction; a second run changes nothing."""

from dataclasses import asdict
from datetime import datetime

from django.db import connection, transaction

from finops import ledger, partitions, policies, queries
from finops.accounting.calendar import local_day
from finops.configuration import specs
from finops.configuration.problems import Invalid, Problem
from finops.configuration.specs import Configuration
from finops.models import Cluster, ExchangeRate, Rate, Setting, TeamRule


class Rollback(Exception):
    """Ends a dry run."""


def apply(wanted: Configuration, *, now: datetime, dry_run: bool = False) -> list[str]:
    """Applies the sections that are present; returns one line per change. Raises Invalid for a zone that stored hours do not fit."""
    changes: list[str] = []
    try:
        with transaction.atomic():
            _settings(wanted, changes)
            if wanted.clusters is not None:
                _clusters(wanted.clusters, changes, now=now)
            if wanted.teams is not None:
                _teams(wanted.teams, changes)
            if wanted.rates is not None:
                _rates(wanted.rates, changes, now=now)
            if wanted.exchange_rates is not None:
                _exchange(wanted.exchange_rates, changes)
            if any(line.startswith("currency") for line in changes):
                _refuse_unconverted()
            if any(not line.startswith("cluster ") for line in changes):
                _account_again(wholly=any(line.startswith("timezone") for line in changes))
            if dry_run:
                raise Rollback
    except Rollback:
        pass
    return changes


def _account_again(*, wholly: bool) -> None:
    """Every hour is accounted anew at the next run; days of another zone are made again at once from the hours as they are."""
    with connection.cursor() as cursor:
        cursor.execute("update collection_window set dirty = true, facts_version = facts_version + 1 where collected_until is not null")
        if wholly:
            zone = queries.zone()
            cursor.execute("delete from ledger_day")
            cursor.execute("select cluster_id, start from collection_window where accounted_at is not null")
            days = sorted({(cluster, local_day(start, zone=zone)) for cluster, start in cursor.fetchall()})
            partitions.make(*(day for _, day in days))
            for cluster, day in days:
                ledger.roll_up(cursor, cluster, day, zone)


def _settings(wanted: Configuration, changes: list[str]) -> None:
    row = Setting.objects.first() or Setting()
    for name in ("currency", "timezone", "week_starts"):
        value = getattr(wanted, name)
        if value is not None and value != getattr(row, name):
            if name == "timezone":
                _refuse_half_hours(value)
            changes.append(f"{name}: {getattr(row, name)} → {value}")
            setattr(row, name, value)
    row.save()


def _refuse_unconverted() -> None:
    """Invalid where prices that are kept would have no value in the new reporting currency."""
    currency = queries.currency()
    lacking = {rate.currency for rate in Rate.objects.all()} - {currency} - {row.currency for row in ExchangeRate.objects.all()}
    if lacking:
        told = f"prices are kept in {', '.join(sorted(lacking))}, which has no exchange rate to {currency}; add one under exchange_rates, or keep the currency"
        raise Invalid([Problem(1, "currency", told)])


def _refuse_half_hours(zone: str) -> None:
    """Invalid where hours are stored that are none of `zone`: its own would overlap them, and count their GPUs twice."""
    with connection.cursor() as cursor:
        cursor.execute("select min(start) from collection_window where extract(minute from start at time zone %s) <> 0", [zone])
        first = cursor.fetchone()[0]
    if first:
        told = f"the hour from {first:%Y-%m-%d %H:%M} UTC is stored already and is no whole hour in {zone}; keep the zone, or collect anew into an empty database"
        raise Invalid([Problem(1, "timezone", told)])


def source_of(spec: object) -> dict[str, object]:
    """A source as it is stored: its kind and its fields."""
    kinds = {specs.PrometheusSpec: "prometheus", specs.ExportersSpec: "exporters", specs.OpenMetricsSpec: "openmetrics"}
    return {kinds[type(spec)]: asdict(spec)}  # type: ignore[index, call-overload]


def _clusters(wanted: tuple, changes: list[str], *, now: datetime) -> None:
    for spec in wanted:
        row = Cluster.objects.filter(name=spec.name).first() or Cluster(name=spec.name)
        fields = {
            "source": source_of(spec.source),
            "scrape_interval": spec.scrape_interval,
            "node_pool_label": spec.node_pool_label or "",
            "user_label": spec.user_label or "",
            "gpu_resources": [asdict(entry) for entry in spec.gpu_resources or ()],
            "ended_at": None,
        }
        new = row.pk is None
        if new or any(_plain(getattr(row, key)) != _plain(value) for key, value in fields.items()):
            changes.append(f"cluster {spec.name}: {'added' if new else 'changed'}")
            for key, value in fields.items():
                setattr(row, key, value)
            row.save()
        moved = policies.change(row, spec, now=now)
        if moved and not new:
            changes.append(f"unallocated policy of {spec.name}: {policies.shown(moved[0])} → {policies.shown(moved[1])}")
    for row in Cluster.objects.filter(ended_at=None).exclude(name__in=[spec.name for spec in wanted]):
        changes.append(f"cluster {row.name}: ended")
        Cluster.objects.filter(pk=row.pk).update(ended_at=now)


def _plain(value: object) -> object:
    """Tuples as JSON keeps them."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _teams(wanted: tuple, changes: list[str]) -> None:
    names = "kind name label match start end cost_center department owner parent".split()
    new = [
        {name: getattr(rule, name) or ({} if name == "match" else None if name in ("start", "end") else "") for name in names}
        for rule in wanted
    ]
    rows = list(TeamRule.objects.order_by("position"))
    old = [{name: getattr(row, name) for name in names} for row in rows]
    if new != old:
        changes.append(f"teams: {len(old)} entries → {len(new)}")
        for n, (row, rule) in enumerate(zip(rows, new, strict=False)):  # what stays as it is leaves no line in the audit log
            if row.position != n or old[n] != rule:
                TeamRule.objects.filter(pk=row.pk).update(position=n, **rule)
        TeamRule.objects.filter(pk__in=[row.pk for row in rows[len(new) :]]).delete()
        TeamRule.objects.bulk_create(TeamRule(position=n, **rule) for n, rule in enumerate(new[len(rows) :], len(rows)))


def _rates(wanted: tuple, changes: list[str], *, now: datetime) -> None:
    """New rates are added; those gone from the file end now; none is edited."""
    there = {_rate_key(_rate_fields(row), row.weights): row for row in Rate.objects.order_by("id")}
    for spec in wanted:
        fields, weights = _rate_fields(spec), spec.weights.texts() if spec.weights else {}
        row = there.pop(_rate_key(fields, weights), None)
        # One that has ended stays so: what followed it was the price meanwhile.
        if row is None or (row.end and row.end <= now and (spec.end is None or spec.end > now)):
            Rate.objects.create(**fields, weights=weights, end=spec.end)
            changes.append(f"rate {spec}: added")
        elif row.end != spec.end:
            changes.append(f"rate {spec}: ends {spec.end}")
            Rate.objects.filter(pk=row.pk).update(end=spec.end)
    for row in there.values():
        if row.end is None or row.end > now:
            changes.append(f"rate {specs.RateSpec(**_rate_fields(row))}: ended")
            Rate.objects.filter(pk=row.pk).update(end=now)


def _rate_fields(rate: object) -> dict:
    """What tells a rate from others, as it is stored, but for its weights."""
    texts = {name: getattr(rate, name) or "" for name in "cluster node_pool instance_type capacity_type gpu_model currency".split()}
    return texts | {name: getattr(rate, name) for name in ("price", "instance_price", "start")}


def _rate_key(fields: dict, weights: dict[str, str]) -> tuple:
    return (*fields.values(), *sorted(weights.items()))


def _exchange(wanted: tuple, changes: list[str]) -> None:
    new = {(spec.currency, spec.start): spec.rate for spec in wanted}
    old = {(row.currency, row.start): row.rate for row in ExchangeRate.objects.all()}
    if new != old:
        changes.append(f"exchange rates: {len(old)} → {len(new)}")
        for currency, start in old.keys() - {key for key, rate in new.items() if old.get(key) == rate}:
            ExchangeRate.objects.filter(currency=currency, start=start).delete()
        ExchangeRate.objects.bulk_create(ExchangeRate(currency=c, start=s, rate=r) for (c, s), r in new.items() if old.get((c, s)) != r)
