"""The addresses of PostgreSQL and of the Redis-compatible server."""

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from finops.environment.values import Wrong

# https://www.postgresql.org/docs/current/libpq-connect.html: those a ledger's operator may need
OPTIONS = frozenset(
    "application_name connect_timeout options sslcert sslcrl sslkey sslmode sslrootcert target_session_attrs".split()
)


def split(url: str, *, name: str, schemes: tuple[str, ...], example: str) -> SplitResult:
    """The URL's parts. The value itself is never shown: it may hold a password."""
    try:
        parts = urlsplit(url)
        numbered = parts.port != 0
    except ValueError:
        numbered = False
    if not numbered:
        raise Wrong(f"{name}: host or port cannot be read; write it like {example}")
    if parts.scheme not in schemes:
        raise Wrong(f"{name}: must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}; write it like {example}")
    return parts


def database(url: str, *, name: str) -> dict[str, object]:
    """A `postgresql://` URL as Django's settings of one database; a socket's folder may stand in `?host=`."""
    example = "postgresql://user:password@host:5432/finops"
    parts = split(url, name=name, schemes=("postgresql", "postgres"), example=example)
    query = dict(parse_qsl(parts.query))
    user, host = query.pop("user", ""), query.pop("host", "")
    if unknown := sorted(query.keys() - OPTIONS):
        raise Wrong(f"{name}: option {unknown[0]} is not known; known are host, user, {', '.join(sorted(OPTIONS))}")
    if not parts.path.strip("/"):
        raise Wrong(f"{name}: names no database; write it like {example}")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or user),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or host),
        "PORT": str(parts.port or ""),
        "OPTIONS": {"connect_timeout": "10"} | query,
        "CONN_HEALTH_CHECKS": True,
        "CONN_MAX_AGE": 60,
    }


@dataclass(frozen=True, slots=True)
class Redis:
    """One server, two uses: Celery's broker in the database named, Django's cache in the next one."""

    broker: str
    cache: str


def redis(url: str, *, name: str) -> Redis:
    """`redis://`, `rediss://`, or `unix://` with a socket's path and `?db=`."""
    example = "redis://host:6379/0"
    parts = split(url, name=name, schemes=("redis", "rediss", "unix"), example=example)
    query = dict(parse_qsl(parts.query))
    if parts.scheme == "unix":
        number, path = _number(query.get("db", "0"), name=name), quote(unquote(parts.path))
        return Redis(f"redis+socket://{path}?virtual_host={number}", f"unix://{path}?db={number + 1}")
    if not parts.hostname:
        raise Wrong(f"{name}: names no host; write it like {example}")
    number = _number(parts.path.strip("/") or "0", name=name)
    return Redis(*(parts._replace(path=f"/{n}").geturl() for n in (number, number + 1)))


def _number(text: str, *, name: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Wrong(f"{name}: {text!r} is no database number; write it like redis://host:6379/0")
    return int(text)
