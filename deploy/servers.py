"""PostgreSQL and the Redis-compatible server: the given ones must answer, the embedded ones are started."""

import os

import psycopg
import redis
from children import Failed, Signals

from finops import embedded
from finops.environment import Environment


def ready(given: Environment, *, signals: Signals) -> None:
    """Both servers answer, and the children's environment names them. Raises Failed.

    A signal waits until an embedded server is up: one that is half there would have no user to stop it.
    """
    data_dir = given.data_dir
    os.environ["FINOPS_DATA_DIR"] = str(data_dir)
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Failed(f"FINOPS_DATA_DIR: {data_dir} cannot be made: {error.strerror}; name a folder that may be written") from error
    if given.redis_url:
        _ask_redis(given.redis_url)
    else:
        with signals.held():
            _, cache = embedded.redis_urls(data_dir)
        os.environ["REDIS_URL"] = cache.replace("?db=1", "?db=0")  # the address names the broker, the cache is one further
    if given.database_url:
        _ask_postgres(given.database_url)
        return
    with signals.held():
        embedded.postgres_url(data_dir)


def _ask_postgres(url: str) -> None:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.Error as error:
        raise Failed(f"DATABASE_URL: no PostgreSQL answers there: {_line(error)}") from error


def _ask_redis(url: str) -> None:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as error:
        raise Failed(f"REDIS_URL: no Redis-compatible server answers there: {_line(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
