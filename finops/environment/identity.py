"""Who vouches for people: an OpenID Connect provider, or a proxy's headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from finops.environment.values import Wrong

OPENID = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME", "OIDC_GROUPS_CLAIM")
PROVIDER = "company"  # as it stands in the callback's address: /oidc/company/login/callback/


@dataclass(frozen=True, slots=True)
class OpenId:
    """`groups_claim`: the claim that lists a person's groups."""

    issuer: str
    client_id: str
    client_secret: str
    name: str
    groups_claim: str

    def as_app(self) -> dict[str, object]:
        """As the log-in library wants it."""
        return {
            "provider_id": PROVIDER,
            "name": self.name,
            "client_id": self.client_id,
            "secret": self.client_secret,
            "settings": {"server_url": self.issuer, "oauth_pkce_enabled": True},
        }


def openid(given: Mapping[str, str]) -> OpenId | None:
    """None where no issuer is named. Raises Wrong."""
    issuer = given["OIDC_ISSUER"].rstrip("/")
    if not issuer:
        if alone := [name for name in OPENID[1:] if given[name]]:
            raise Wrong(f"{alone[0]}: means nothing without OIDC_ISSUER; set both")
        return None
    parts = urlsplit(issuer)
    if not parts.hostname or parts.query or (parts.scheme != "https" and not _own(parts.scheme, parts.hostname)):
        raise Wrong(f"OIDC_ISSUER: {issuer!r} is no issuer; write it like https://login.example.com/realms/company")
    for name in OPENID[1:3]:
        if not given[name]:
            raise Wrong(f"{name}: is needed beside OIDC_ISSUER; the provider shows it where you register this client")
    return OpenId(
        issuer, given["OIDC_CLIENT_ID"], given["OIDC_CLIENT_SECRET"], given["OIDC_NAME"] or parts.hostname, given["OIDC_GROUPS_CLAIM"] or "groups"
    )


def _own(scheme: str, host: str) -> bool:
    """Only towards this machine itself may secrets travel without TLS."""
    return scheme == "http" and host in ("localhost", "127.0.0.1", "::1")


def header(text: str, *, name: str) -> str:
    """A header's name as the server hands it over; "" for none. Raises Wrong."""
    if not text:
        return ""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", text):
        raise Wrong(f"{name}: {text!r} is no header; write it like X-Forwarded-User")
    if text.lower() in ("host", "cookie", "authorization", "content-type", "content-length"):
        raise Wrong(f"{name}: {text} has a meaning of its own; choose one like X-Forwarded-User")
    return "HTTP_" + text.upper().replace("-", "_")
