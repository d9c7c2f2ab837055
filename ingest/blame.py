"""Whose fault an error is: the window's, which then waits its turn apart, or nobody's, so that the whole turn ends."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection

from ingest.sources import Unreachable

T = TypeVar("T")
# SQLSTATE: https://www.postgresql.org/docs/18/errcodes-appendix.html
MENDED_BY_WAITING = ("40001", "40P01", "55P03")  # serialization failure, deadlock, a lock not had in time
SERVERS_OWN = ("08", "53", "57")  # connection, resources such as the disk, shutdown and recovery
TRIES = 3
# Django wraps what a cursor's methods raise, but not what a COPY in progress raises.
OPERATIONAL = (OperationalError, psycopg.OperationalError)
INTERFACE = (InterfaceError, psycopg.InterfaceError)


def nobodys(error: BaseException) -> bool:
    """Whether no window could have been had: the source or the database is away, or the task's time is up."""
    if isinstance(error, OPERATIONAL):
        state = _state(error)
        return state is None or state.startswith(SERVERS_OWN)
    return isinstance(error, (Unreachable, SoftTimeLimitExceeded, *INTERFACE))


def retried(call: Callable[[], T], *, pause: Callable[[float, float], float] = random.uniform) -> T:
    """The call's result; a transaction that lost against another one is run again, three times at most."""
    for _ in range(TRIES - 1):
        try:
            return call()
        except OPERATIONAL as error:
            if connection.in_atomic_block or _state(error) not in MENDED_BY_WAITING:
                raise
            time.sleep(pause(0.05, 0.5))
    return call()


def _state(error: Exception) -> str | None:
    return getattr(error if isinstance(error, psycopg.Error) else error.__cause__, "sqlstate", None)
