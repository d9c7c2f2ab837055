"""One text, one typed value. Every function raises ValueError with a message that names the cure."""

from __future__ import annotations

import functools
import re
import zoneinfo
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from urllib.parse import urlsplit

from .problems import shown, suggestion

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOST_PER_HOUR = Decimal(1000)  # of a GPU
MOST_GPUS = 16  # of an instance that is on offer anywhere
LONGEST = 366 * 86400
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,30})?")
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_KUBERNETES = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def word(text: str) -> str:
    """Any text a person can read."""
    if not text:
        raise ValueError("is empty; write a value or leave the key out")
    if text != text.strip() or not text.isprintable():
        raise ValueError(f"{shown(text)} has spaces around it or characters that cannot be printed")
    if len(text) > 500:
        raise ValueError(f"is {len(text)} characters long; at most 500")
    return text


def one_of(text: str, *, known: Sequence[str]) -> str:
    """One of the known words."""
    if text not in known:
        raise ValueError(f"{shown(text)} is not one of {', '.join(known)}{suggestion(text, known)}")
    return text


def pattern(regex: str, *, cure: str) -> Callable[[str], str]:
    """A converter for texts of a given form; the value is shown before the cure."""
    compiled = re.compile(regex)

    def convert(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f"{shown(text)} {cure}")
        return text

    return convert


currency = pattern("[A-Z]{3}", cure='is not a currency code of three capital letters; write it like "CHF"')
prometheus_label = pattern("[a-zA-Z_][a-zA-Z0-9_]*", cure="is not a Prometheus label name (letters, digits, _)")
email = pattern(r"[^\s@,;<>]+@[^\s@,;<>]+", cure='is not an e-mail address; write it like "finance@example.com"')


def kubernetes_label(text: str) -> str:
    """A label or annotation key, as Kubernetes defines it: ``[prefix/]name``."""
    if not _KUBERNETES.fullmatch(text) or len(text) > 317:
        raise ValueError(f'{shown(text)} is not a Kubernetes label name; write it like "example.com/team"')
    return text


OWN_SECRETS = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "EMAIL_URL")


def environment_name(text: str) -> str:
    """The name of a variable. What is refused may be the secret itself, so it is not repeated."""
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError('is not the name of an environment variable; write the name, never the secret, like "PROMETHEUS_TOKEN"')
    # Who sets up a source sends its credential wherever they like: the product's own must not go there.
    if text in OWN_SECRETS:
        raise ValueError("holds a secret of this product itself; put the source's credential into a variable of its own")
    return text


@functools.cache
def _zones() -> tuple[str, ...]:
    return tuple(sorted(zoneinfo.available_timezones() - {"localtime", "Factory"}))


def timezone(text: str) -> str:
    """An IANA zone name."""
    if text not in _zones():
        near = suggestion(text, _zones())
        raise ValueError(f'{shown(text)} is not an IANA time zone; write it like "Europe/Zurich"{near}')
    return text


def moment(text: str, *, zone: tzinfo) -> datetime:
    """ISO 8601 date or timestamp → UTC; without an offset it is in ``zone``."""
    try:
        when = datetime.fromisoformat(text)
        when = (when if when.tzinfo else when.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        when = datetime.min.replace(tzinfo=UTC)
    if not text.isascii() or not 1970 <= when.year <= 9998:
        raise ValueError(f'{shown(text)} is not a date; write it like "2026-01-01" or "2026-01-01T08:00:00+01:00"')
    return when


def duration(text: str) -> float:
    """``60s``, ``5m``, ``1h``, ``2d`` → seconds."""
    found = _DURATION.fullmatch(text)
    seconds = Decimal(found[1]) * _SECONDS[found[2]] if found else Decimal(0)
    if not 0 < seconds <= LONGEST:
        raise ValueError(f'{shown(text)} is not a duration; write it like "60s", "5m" or "1h", at most "366d"')
    return float(seconds)


def integer(text: str, *, least: int, most: int) -> int:
    """A whole number in [least, most]."""
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ValueError(f"{shown(text)} is not a whole number from {least} to {most}")
    return int(text)


def flag(text: str) -> bool:
    """``true`` or ``false``."""
    if text not in ("true", "false"):
        raise ValueError(f"{shown(text)} is neither true nor false")
    return text == "true"


def decimal(text: str) -> Decimal:
    """A plain decimal number: no exponent, no NaN, no infinity."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f'{shown(text)} is not a decimal number; write it like "3.80"')
    return Decimal(text)


def positive(text: str) -> Decimal:
    """A decimal above 0 with at most 10 decimals."""
    value = decimal(text)
    if value <= 0:
        raise ValueError(f"{shown(text)} must be above 0")
    if len(text.partition(".")[2]) > 10:
        raise ValueError(f"{shown(text)} has more than 10 decimals")
    return value


def not_negative(text: str) -> Decimal:
    """0, or what :func:`positive` takes."""
    value = decimal(text)
    if value < 0:
        raise ValueError(f"{shown(text)} must be 0 or above")
    return Decimal(0) if value == 0 else positive(text)


def price(text: str) -> Decimal:
    """Per GPU-hour: what :func:`not_negative` takes, up to 1000."""
    value = not_negative(text)
    if value > MOST_PER_HOUR:
        raise ValueError(f"{shown(text)} is above {MOST_PER_HOUR} per GPU-hour; the price is for one hour of one GPU")
    return value


def instance_price(text: str) -> Decimal:
    """Per instance-hour: what :func:`not_negative` takes, up to that of 16 GPUs."""
    value = not_negative(text)
    if value > MOST_PER_HOUR * MOST_GPUS:
        raise ValueError(f"{shown(text)} is above {MOST_PER_HOUR * MOST_GPUS} per hour; the price is for one hour of one instance")
    return value


def fraction(text: str) -> Decimal:
    """Above 0 and at most 1."""
    value = positive(text)
    if value > 1:
        raise ValueError(f'{shown(text)} is above 1; write 10 % as "0.10"')
    return value


def url(text: str) -> str:
    """An http or https address without credentials; a text with ``@`` may hold some and is not repeated."""
    if "@" in text:
        raise ValueError("the address holds credentials; remove them and name their environment variable in basic_auth_env")
    if not _is_address(text):
        raise ValueError(f'{shown(text)} is not an http or https address; write it like "http://prometheus:9090"')
    return text


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    clean = text.isprintable() and not set(text) & set(' \\"<>#')
    return clean and parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0
