"""Where e-mails go: `EMAIL_URL` as Django's settings."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from finops.environment.servers import split
from finops.environment.values import Wrong, flag

BACKENDS = {"smtp": "smtp", "smtps": "smtp", "console": "console", "file": "filebased"}
EXAMPLE, SENDER = "smtp://user:password@host:587", "finops@localhost"


@dataclass(frozen=True, slots=True)
class Mail:
    """`use_tls` is STARTTLS, `use_ssl` TLS from the first byte."""

    backend: str
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    use_tls: bool = False
    use_ssl: bool = False
    folder: str | None = None
    sender: str = SENDER


def mail(url: str, *, name: str) -> Mail:
    """`smtp://`, `smtps://`, `console://` or `file:///folder`; `?from=` is the sender.

    `smtp://` with a password insists on STARTTLS, without one it does not; `?starttls=` says otherwise.
    """
    parts = split(url, name=name, schemes=tuple(BACKENDS), example=EXAMPLE)
    query = dict(parse_qsl(parts.query))
    sender, starttls = query.pop("from", SENDER), query.pop("starttls", None)
    if query:
        raise Wrong(f"{name}: option {min(query)} is not known; known are from, starttls")
    backend = f"django.core.mail.backends.{BACKENDS[parts.scheme]}.EmailBackend"
    if parts.scheme == "console":
        return Mail(backend, sender=sender)
    if parts.scheme == "file":
        return Mail(backend, folder=_folder(url, name=name), sender=sender)
    if not parts.hostname or parts.path.strip("/"):
        raise Wrong(f"{name}: must name a host and nothing behind it; write it like {EXAMPLE}")
    ssl = parts.scheme == "smtps"
    tls = not ssl and (flag(starttls, name=f"{name} starttls") if starttls else bool(parts.password))
    return Mail(
        backend,
        host=parts.hostname,
        port=parts.port or (465 if ssl else 587 if tls else 25),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        use_tls=tls,
        use_ssl=ssl,
        sender=sender,
    )


def _folder(url: str, *, name: str) -> str:
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if parts.netloc or path == Path("/") or not path.is_absolute() or path.is_file():
        raise Wrong(f"{name}: must name a folder; write it like file:///var/mail/finops, with three slashes")
    return str(path)
