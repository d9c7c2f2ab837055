"""What else the lines of a group name: a team's cost centres, a job's users, a node's models."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from django.db import connection

from finops.queries import setting
from finops.scope import Scope
from finops.selection import select_names


def names_of(scope: Scope, *, columns: Sequence[str]) -> dict[tuple[str, ...], tuple[list[str], ...]]:
    """Per group of `scope.group_by`: the values of each column in order, without the empty one."""
    sql, params = select_names(scope, keys=scope.group_by, columns=columns, zone=ZoneInfo(setting().timezone))
    keys = len(scope.group_by)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return {tuple(record[:keys]): tuple(sorted(values) for values in record[keys:]) for record in cursor.fetchall()}
