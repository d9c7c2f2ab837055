"""The audit log: who changed money or rights, when, from what to what. The tables write it: finops/sql/audit.sql."""

import getpass
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

SUBJECTS = {
    "finops_setting": "settings",
    "finops_cluster": "cluster",
    "finops_teamrule": "team rule",
    "finops_unallocatedpolicy": "unallocated policy",
    "finops_rate": "rate",
    "finops_exchangerate": "exchange rate",
    "reports_membership": "membership",
    "reports_grant": "group grant",
    "reports_apitoken": "API token",
    "auth_user": "person",
    "auth_user_groups": "role",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One change; `before` and `after` hold the columns that differ, secrets as ***."""

    at: datetime
    actor: str
    action: str
    subject: str
    row: str
    before: dict[str, object] | None
    after: dict[str, object] | None


def acting(actor: str) -> None:
    """Names who changes things through this connection from here on."""
    with connection.cursor() as cursor:
        cursor.execute("select set_config('finops.actor', %s, false)", [actor])


def operator(arguments: Sequence[str]) -> str:
    """Who runs a program on the machine itself, by name where the system tells it. `arguments`: as in sys.argv."""
    name = Path(arguments[0]).name
    program = "make run" if name == "prepare.py" else " ".join((name, *arguments[1:2]))  # its first argument is a descriptor's number
    try:
        return f"{program} by {getpass.getuser()}"
    except (KeyError, OSError):  # a container's user may have no name
        return f"{program} by user {os.getuid()}"


def name_operator(sender: object, connection: BaseDatabaseWrapper, **about: object) -> None:
    """For every new connection of a command or a worker; requests of a page name their person themselves."""
    with connection.cursor() as cursor:
        cursor.execute("select set_config('finops.actor', %s, false)", [operator(sys.argv)])


NAMES = {
    "user_id": "select id, username from auth_user",
    "group_id": "select id, name from auth_group",
    "cluster_id": "select id, name from finops_cluster",
}


def lines(*, start: datetime | None = None, end: datetime | None = None, most: int = 1000) -> Iterator[Line]:
    """The newest first, of [start, end)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select at, actor, action, subject, row_id, before, after from audit_line
               where at >= coalesce(%s, '-infinity'::timestamptz) and at < coalesce(%s, 'infinity'::timestamptz) order by id desc limit %s""",
            [start, end, most],
        )
        found = cursor.fetchall()
        known = {}
        for key, statement in NAMES.items():
            cursor.execute(statement)
            known[key] = dict(cursor.fetchall())
    for at, actor, action, subject, row, *sides in found:
        yield Line(at, actor, action, SUBJECTS.get(subject, subject), row, *(_named(_value(side), known) for side in sides))


def _named(side: dict[str, object] | None, known: Mapping[str, Mapping[object, str]]) -> dict[str, object] | None:
    """With names in place of ids, as far as whom they mean is still there."""
    if side is None:
        return None
    found: dict[str, object] = {}
    for key, value in side.items():
        name = known[key].get(value) if key in known else None
        found |= {key: value} if name is None else {key.removesuffix("_id"): name}
    return found


def _value(text: object) -> dict[str, object] | None:
    return json.loads(text) if isinstance(text, str) else text  # type: ignore[return-value]
