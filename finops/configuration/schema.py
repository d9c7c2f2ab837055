"""The whole configuration file: text in, one Configuration or every error at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from functools import partial
from types import MappingProxyType
from typing import TypeVar
from zoneinfo import ZoneInfo

from . import document, notices, prices, values
from .clusters import clusters
from .fields import Fields, Place
from .problems import Invalid, Problem
from .specs import Configuration
from .teams import teams

__all__ = ["Configuration", "Invalid", "Problem", "parse"]

SECTIONS = (
    "currency",
    "timezone",
    "week_starts",
    "exchange_rates",
    "clusters",
    "teams",
    "rates",
    "budgets",
    "alerts",
    "reports",
)
NOTHING: Mapping[str, str] = MappingProxyType({})
T = TypeVar("T")


def parse(text: str, *, env: Mapping[str, str] = NOTHING) -> Configuration:
    """Validate the whole file. Raises Invalid with every error, one line each.

    Where ``env`` is not empty, the variables that the file names must be set in it.
    """
    root, problems = document.read(text)
    place = Place(root, "", problems)
    found = _configuration(Fields(place, SECTIONS))
    if env:
        _refuse_unset(place, env)
    if problems:
        raise Invalid(problems)
    return found


def _configuration(fields: Fields) -> Configuration:
    timezone = fields.optional("timezone", values.timezone)
    zone: tzinfo = ZoneInfo(timezone) if timezone else UTC
    return Configuration(
        currency=fields.optional("currency", values.currency),
        timezone=timezone,
        week_starts=fields.optional("week_starts", partial(values.one_of, known=values.WEEKDAYS)),
        exchange_rates=_section(fields, "exchange_rates", partial(prices.exchange_rates, zone=zone)),
        clusters=_section(fields, "clusters", clusters),
        teams=_section(fields, "teams", partial(teams, zone=zone)),
        rates=_section(fields, "rates", partial(prices.rates, zone=zone)),
        budgets=_section(fields, "budgets", notices.budgets),
        alerts=_section(fields, "alerts", notices.alerts),
        reports=_section(fields, "reports", notices.reports),
    )


def _section(fields: Fields, key: str, reader: Callable[[Place], T]) -> T | None:
    place = fields.get(key)
    return reader(place) if place else None


def _refuse_unset(place: Place, env: Mapping[str, str]) -> None:
    """Walk to every ``*_env`` of a source; an unset variable would fail only when collecting."""
    if isinstance(place.node, document.Scalar):
        return
    inner = place.items() if isinstance(place.node, document.Sequence) else (p for _, p in place.entries())
    for child in inner:
        name = child.node.text if isinstance(child.node, document.Scalar) else ""
        named = child.path.endswith((".prometheus.bearer_token_env", ".prometheus.basic_auth_env"))
        if named and name.isidentifier() and name.isascii() and not env.get(name):
            child.refuse("no environment variable of that name is set; set it or mend the name")
        _refuse_unset(child, env)
