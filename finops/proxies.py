"""Whose word counts about the caller: X-Forwarded-For, -Proto and -Host, and the headers that name a person, of trusted proxies only."""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")
Address = IPv4Address | IPv6Address


class TrustedProxies:
    """First of all middleware: those behind it see the caller's own address, scheme and host."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        claims = {name: listed(request.META.pop(name, "")) for name in FORWARDED}
        who = {name: request.META.pop(name, "") for name in (settings.TRUSTED_USER_HEADER, settings.TRUSTED_GROUPS_HEADER) if name}
        hops = trusted_hops(request.META.get("REMOTE_ADDR", ""), claims["HTTP_X_FORWARDED_FOR"])
        if hops:
            request.META.update(who)
            believe(request.META, claims, hops=hops)
        return self.get_response(request)


def listed(header: str) -> list[str]:
    return [part.strip() for part in header.split(",") if part.strip()]


def address(text: str) -> Address | None:
    """An address as proxies write it: bare, `1.2.3.4:5678` or `[::1]:5678`; None where it is none."""
    bare = text[1:].partition("]")[0] if text.startswith("[") else text.partition(":")[0] if text.count(":") == 1 else text
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def trusted(text: str) -> bool:
    found = address(text)
    return found is not None and any(found in network for network in settings.TRUSTED_PROXIES)


def trusted_hops(peer: str, forwarded_for: Sequence[str]) -> int:
    """How many proxies in a row, counted from the peer, are trusted. Each adds one entry at the right."""
    hops = 0
    for hop in (peer, *reversed(forwarded_for)):
        if not trusted(hop):
            return hops
        hops += 1
    return hops


def believe(meta: dict[str, str], claims: dict[str, list[str]], *, hops: int) -> None:
    """Takes from each list what the outermost trusted proxy wrote, the entry `hops` from the right."""
    told = {name: entries[-min(hops, len(entries))] for name, entries in claims.items() if entries}
    if (caller := address(told.get("HTTP_X_FORWARDED_FOR", ""))) is not None:
        meta["REMOTE_ADDR"] = str(caller)
    if (scheme := told.get("HTTP_X_FORWARDED_PROTO", "").lower()) in ("http", "https"):
        meta["wsgi.url_scheme"] = scheme
    if host := told.get("HTTP_X_FORWARDED_HOST"):
        meta["HTTP_HOST"] = host
