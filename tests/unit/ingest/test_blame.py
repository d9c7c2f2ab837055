"""Whether a window or nobody is to blame."""

import psycopg
import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import DataError, InterfaceError, OperationalError

from ingest.blame import nobodys, retried
from ingest.sources import SourceError, Unreachable


def wrapped(cause: Exception) -> OperationalError:
    """As Django hands on what psycopg raised."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("no answer"),
        SoftTimeLimitExceeded(),
        InterfaceError("connection already closed"),
        OperationalError("server closed the connection unexpectedly"),
        psycopg.OperationalError("server closed the connection unexpectedly"),  # in the middle of a COPY nobody wraps it
        wrapped(psycopg.errors.AdminShutdown("terminating connection")),
        wrapped(psycopg.errors.CannotConnectNow("starting up")),
        wrapped(psycopg.errors.DiskFull("no space left on device")),
    ],
    ids=repr,
)
def test_nobody_is_to_blame(error: Exception) -> None:
    assert nobodys(error) is True


@pytest.mark.parametrize(
    "error",
    [
        SourceError("answered 500"),
        ValueError("unforeseen"),
        MemoryError(),
        DataError("numeric field overflow"),
        wrapped(psycopg.errors.ProgramLimitExceeded("index row size")),
        psycopg.errors.ProgramLimitExceeded("index row size"),
        wrapped(psycopg.errors.DeadlockDetected("after three tries")),
    ],
    ids=repr,
)
def test_the_window_is_to_blame(error: Exception) -> None:
    assert nobodys(error) is False


class Losing:
    """Loses against another transaction `times` times."""

    def __init__(self, times: int, cause: Exception) -> None:
        self.left, self.cause, self.calls = times, cause, 0

    def __call__(self) -> str:
        self.calls += 1
        self.left -= 1
        if self.left >= 0:
            raise wrapped(self.cause)
        return "stored"


def at_once(least: float, most: float) -> float:
    return 0.0


def test_a_deadlock_is_tried_again_twice() -> None:
    losing = Losing(2, psycopg.errors.DeadlockDetected())
    assert retried(losing, pause=at_once) == "stored"
    assert losing.calls == 3


def test_the_third_deadlock_is_told() -> None:
    losing = Losing(3, psycopg.errors.DeadlockDetected())
    with pytest.raises(OperationalError):
        retried(losing, pause=at_once)
    assert losing.calls == 3


def test_a_lost_connection_is_not_tried_again() -> None:
    losing = Losing(1, psycopg.errors.AdminShutdown())
    with pytest.raises(OperationalError):
        retried(losing, pause=at_once)
    assert losing.calls == 1
