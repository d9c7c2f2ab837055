"""Which network addresses a source may have.

Who may name a source may make this machine ask any address it reaches. Link-local ones answer with the machine's own cloud
credentials, and no metrics live there: they are refused, however they are written (decimal, octal, mapped into IPv6, or by a
name that resolves to them). Loopback and private ranges are where most Prometheus servers live: they are allowed.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from ingest.sources import SourceError

# Metadata services outside the link-local ranges: AWS and Google Cloud over IPv6, Alibaba Cloud, Oracle Cloud.
METADATA = frozenset(map(ip_address, ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192")))
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are the IPv4 address a gateway leads to


class Forbidden(SourceError):
    """An address no source may have."""


def refuse(text: str) -> None:
    """Forbidden unless this IP address may be asked; `text` as the resolver or the socket gives it."""
    address = plain(ip_address(text.partition("%")[0]))
    if address.is_link_local or address.is_unspecified or address.is_multicast or address in METADATA:
        raise Forbidden(f"the address leads to {address}, where clouds keep a machine's credentials and no metrics are; name the server itself")


def plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """An IPv4 address out of its IPv6 clothes (mapped, 6to4, NAT64)."""
    if isinstance(address, IPv6Address):
        if address in NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def refuse_host(host: str, port: int) -> None:
    """Forbidden if any address of the host is; a host that does not resolve is left to the connection to report."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError:
        return
    for *_, where in found:
        refuse(str(where[0]))
