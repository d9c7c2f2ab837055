"""What one question may cost: refused beforehand where it can be told, ended by the database where not."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from finops.queries import MOST_DAYS
from finops.scope import Refused, Scope

MOST_HOURLY = timedelta(days=100)
MOST_ROWS = 100_000
SECONDS = 25


def check(scope: Scope) -> Scope:
    """The scope, if its periods can be read; Refused else."""
    length = scope.window.end - scope.window.start
    if scope.step == "hour" and length > MOST_HOURLY:
        raise Refused(f"the window has {length // timedelta(hours=1)} hours; step=hour takes {MOST_HOURLY.days} days at most")
    if length.days > MOST_DAYS:
        raise Refused(f"the window is longer than {MOST_DAYS} days; ask for less")
    return scope


def rows_bounded(rows: list) -> list:
    """The rows, which were asked for up to one more than MOST_ROWS."""
    if len(rows) > MOST_ROWS:
        raise Refused(f"the answer has more than {MOST_ROWS} rows; ask for a shorter window, a longer step or fewer group keys")
    return rows


@contextmanager
def in_time() -> Iterator[None]:
    """The database gives up on statements that take longer than SECONDS."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"set local statement_timeout = '{SECONDS}s'")
            yield
            cursor.execute("set local statement_timeout = default")
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise Refused(f"the answer takes longer than {SECONDS} s; ask for a shorter window or fewer group keys") from None
        raise
