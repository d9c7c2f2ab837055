"""Address and credentials of a source: what is sent, and what must never be shown."""

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from ingest.sources import SourceError


def plain(url: str) -> str:
    """The base URL without a trailing slash; SourceError unless it is http(s) with a host and nothing secret in it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname and f"{parts.hostname}:{parts.port or ''}".rstrip(":")
    except ValueError:
        raise SourceError("the address of the source is not a URL: write it as https://host:port") from None
    if parts.scheme not in ("http", "https") or not host:
        raise SourceError("the address of the source is not an http or https URL: write it as https://host:port")
    if parts.username is not None or parts.query or parts.fragment:
        raise SourceError(f"{parts.scheme}://{host}: the address holds more than host and path; put credentials into basic_auth")
    return url.rstrip("/")


def sent(headers: Mapping[str, str] | None, bearer_token: str | None) -> dict[str, str]:
    """The headers of every request; SourceError for one that would break the line."""
    found = dict(headers or {})
    if bearer_token:
        found["Authorization"] = f"Bearer {bearer_token.strip()}"
    for name, value in found.items():
        if not (name + value).isprintable():
            raise SourceError(f"the header {name!r} holds a line break or control character; check its value")
    return found | {"Accept-Encoding": "identity", "Accept": "application/json"}


def secrets(headers: Mapping[str, str] | None, bearer_token: str | None, basic_auth: tuple[str, str] | None) -> list[str]:
    """What must never stand in a message, longest first; shorter header values would only garble the text."""
    found = [value for value in (headers or {}).values() if len(value) >= 4]
    if bearer_token:
        found.append(bearer_token.strip())
    if basic_auth:
        found += [basic_auth[1], b64encode(":".join(basic_auth).encode()).decode()]
    return sorted(filter(None, found), key=len, reverse=True)
