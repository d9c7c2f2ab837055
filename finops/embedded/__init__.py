"""The two servers out of wheels, PostgreSQL and Valkey: used where no address is given.

Every process that uses a server holds a shared lock on it. Joining and leaving are serialised
by a second lock, and the last one out stops the server. Why so: docs/decisions/0002.
Standard library only, so that it runs before Django is configured.
"""

from pathlib import Path
from urllib.parse import quote

from finops.embedded.folders import EmbeddedError, prepared
from finops.embedded.locks import join, release
from finops.embedded.postgres import postgres_server
from finops.embedded.valkey import VALKEY_SOCKET, valkey_server

__all__ = ["EmbeddedError", "postgres_url", "redis_urls", "release"]


def postgres_url(data_dir: Path) -> str:
    """Start or join PostgreSQL on `data_dir`; the URL of its database `finops`.

    Raises EmbeddedError. The server stays until this process exits or calls `release`.
    The URL names the port since PGPORT would decide otherwise.
    """
    sockets = join(postgres_server(prepared(data_dir)))
    return f"postgresql://:5432/finops?host={quote(str(sockets), safe='')}&user=finops"


def redis_urls(data_dir: Path) -> tuple[str, str]:
    """Start or join Valkey on `data_dir`; Celery's broker URL and the cache's URL."""
    path = quote(str(join(valkey_server(prepared(data_dir))) / VALKEY_SOCKET))
    return f"redis+socket://{path}?virtual_host=0", f"unix://{path}?db=1"
