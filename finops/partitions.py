"""The monthly parts of the tables that are cut by months."""

from datetime import date

from django.db import connection, transaction


def make(*days: date) -> None:
    """Makes the parts that hold `days`, where they are not there.

    In a transaction of its own and one at a time: a part is made under a lock on its table, for which nobody must wait
    who has read the table already.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(0, 0)")
        for day in sorted({day.replace(day=1) for day in days}):
            cursor.execute("select ensure_month(%s)", [day])
