"""The product's variables, read once and refused with one line where one is wrong.

Standard library only: whoever starts the product reads them before Django is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from finops.environment import identity, network, servers, values
from finops.environment.identity import OpenId
from finops.environment.mail import Mail, mail
from finops.environment.network import Network, is_loopback
from finops.environment.servers import Redis, database, redis
from finops.environment.values import Wrong

__all__ = ["Environment", "Mail", "OpenId", "Redis", "Wrong", "database", "is_loopback", "read", "redis"]


@dataclass(frozen=True, slots=True)
class Environment:
    """Every variable's value; None where there is no default. Paths are absolute."""

    data_dir: Path
    database_url: str | None
    redis_url: str | None
    config: Path | None
    secret_key: str | None
    debug: bool | None
    host: str
    port: int
    base_path: str
    allowed_hosts: tuple[str, ...]
    csrf_trusted_origins: tuple[str, ...]
    trusted_proxies: tuple[Network, ...]
    mail: Mail
    openid: OpenId | None
    user_header: str
    groups_header: str

    @property
    def shown_host(self) -> str:
        """The host as it stands in an address."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def only_here(self) -> bool:
        """Whether nobody but this machine's own users reaches the pages: a loopback address and no proxy before it."""
        return is_loopback(self.host) and not self.trusted_proxies


def read(given: Mapping[str, str], *, root: Path) -> Environment:
    """Relative paths are meant from `root`; an empty variable is an unset one. Raises Wrong."""

    def text(name: str, default: str = "") -> str:
        return given.get(name, "").strip() or default

    host = network.bind_host(text("HOST", "127.0.0.1"), name="HOST")
    found = Environment(
        data_dir=values.folder(text("FINOPS_DATA_DIR", ".data"), name="FINOPS_DATA_DIR", root=root),
        database_url=text("DATABASE_URL") or None,
        redis_url=text("REDIS_URL") or None,
        config=values.file(config, name="FINOPS_CONFIG", root=root) if (config := text("FINOPS_CONFIG")) else None,
        secret_key=values.secret_key(key, name="SECRET_KEY") if (key := text("SECRET_KEY")) else None,
        debug=values.flag(debug, name="DEBUG") if (debug := text("DEBUG")) else None,
        host=host,
        port=network.port(text("PORT", "8000"), name="PORT"),
        base_path=values.base_path(text("BASE_PATH"), name="BASE_PATH"),
        allowed_hosts=network.allowed_hosts(text("ALLOWED_HOSTS"), name="ALLOWED_HOSTS", host=host),
        csrf_trusted_origins=network.origins(text("CSRF_TRUSTED_ORIGINS"), name="CSRF_TRUSTED_ORIGINS"),
        trusted_proxies=network.networks(text("TRUSTED_PROXIES"), name="TRUSTED_PROXIES"),
        mail=mail(text("EMAIL_URL", "console://"), name="EMAIL_URL"),
        openid=identity.openid({name: text(name) for name in identity.OPENID}),
        user_header=identity.header(text("TRUSTED_USER_HEADER"), name="TRUSTED_USER_HEADER"),
        groups_header=identity.header(text("TRUSTED_GROUPS_HEADER"), name="TRUSTED_GROUPS_HEADER"),
    )
    if found.user_header and not found.trusted_proxies:
        raise Wrong("TRUSTED_USER_HEADER: nobody is trusted to set it; name the proxy's network in TRUSTED_PROXIES")
    if found.groups_header and not found.user_header:
        raise Wrong("TRUSTED_GROUPS_HEADER: says whose groups only beside TRUSTED_USER_HEADER; set both")
    if found.database_url:
        servers.database(found.database_url, name="DATABASE_URL")
    if found.redis_url:
        servers.redis(found.redis_url, name="REDIS_URL")
    return found
