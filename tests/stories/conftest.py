"""Someone of the finance department, and the four ways to the same figures."""

import csv
import io
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User

from reports.pages.state import ROWS
from tests.world import commanded, queried, right


@pytest.fixture
def finance(db, client):
    """A browser of one who sees every team."""
    person = User.objects.create_user("frances", password="three-people")
    person.groups.add(Group.objects.create(name="finance"))
    client.force_login(person)
    return client


@pytest.fixture
def every_way(finance) -> Callable[..., None]:
    """Asserts a table of figures (tests/world.py) through the query layer, the REST API, the command and the page's file."""

    def told(table: str, start: str, end: str, *, step: str = "total") -> None:
        head = table.strip().splitlines()[0].split()
        by = [key for key in head[: head.index("|")] if key != "day"]
        right(table, queried(start, end, by=by, step=step))
        right(table, commanded(start, end, by=by, step=step))
        answer = finance.get("/api/v1/costs", {"start": start, "end": end, "group_by": ",".join(by), "step": step})
        assert answer.status_code == 200 and answer.json()["balanced"] and answer.json()["next"] is None
        right(table, answer.json())
        if step == "total" and len(by) == 1 and by[0] in ROWS:
            file = finance.get("/download/rows.csv", {"start": start, "end": end, "by": by[0]})
            assert file.status_code == 200
            right(without_total(table), {"rows": list(csv.DictReader(io.StringIO(file.content.decode())))})

    return told


def without_total(table: str) -> str:
    """The file of a page has rows only."""
    return "\n".join(line for line in table.strip().splitlines() if not line.strip().startswith("total"))
