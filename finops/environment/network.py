"""Who may call, under which name, through whom: hosts, ports, origins and proxies."""

import re
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from finops.environment.values import Wrong, listed

Network = IPv4Network | IPv6Network
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
HOST = re.compile(rf"\*|\.?{NAME}|\[[0-9A-Fa-f:.]+\]")
ORIGIN_HOST = re.compile(rf"(?:\*\.)?{NAME}|\[[0-9A-Fa-f:.]+\]")


def bind_host(text: str, *, name: str) -> str:
    """A host name or an IP address to listen on, an IPv6 address without brackets."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        return str(ip_address(bare))
    except ValueError:
        if re.fullmatch(NAME, text):
            return text
    raise Wrong(f"{name}: {text!r} is no host name and no address; write it like 127.0.0.1, the port goes into PORT")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens on `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def port(text: str, *, name: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise Wrong(f"{name}: {text!r} is no port; write a number from 1 to 65535")
    return int(text)


def allowed_hosts(text: str, *, name: str, host: str) -> tuple[str, ...]:
    """Names the pages answer to. This machine's own are always among them: health checks use them."""
    for entry in listed(text):
        if not HOST.fullmatch(entry):
            raise Wrong(f"{name}: {entry!r} is no host name; write it like costs.example.com, without scheme, port or path")
    own = () if host in ("0.0.0.0", "::") else (f"[{host}]" if ":" in host else host,)
    return tuple(dict.fromkeys((*listed(text), *LOOPBACK_NAMES, *own)))


def origins(text: str, *, name: str) -> tuple[str, ...]:
    """Schemes and hosts from which forms may be sent, as Django compares them with the Origin header."""
    for entry in listed(text):
        try:
            parts = urlsplit(entry)
            right = parts.scheme in ("http", "https") and entry == f"{parts.scheme}://{parts.netloc}"
            right = right and parts.port != 0 and ORIGIN_HOST.fullmatch(re.sub(r":\d+$", "", parts.netloc)) is not None
        except ValueError:
            right = False
        if not right:
            raise Wrong(f"{name}: {entry!r} is no origin; write scheme and host, like https://costs.example.com")
    return listed(text)


def networks(text: str, *, name: str) -> tuple[Network, ...]:
    """Networks in CIDR notation; an address alone is a network of one."""
    found: list[Network] = []
    for entry in listed(text):
        try:
            found.append(ip_network(entry))
        except ValueError:
            raise Wrong(f"{name}: {entry!r} is no network; write it like 10.0.0.0/8, with zeros behind the prefix") from None
    return tuple(found)
