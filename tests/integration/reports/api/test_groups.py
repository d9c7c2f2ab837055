"""A day's groups and its lines give the same answers, and a change of its lines takes its groups away."""

from datetime import datetime

import pytest
from django.db import connection

from finops import ledger, queries
from finops.scope import Scope, Window
from tests.integration.reports.company import ZONE, open_company

WHOLE = (datetime(2026, 11, 16, tzinfo=ZONE), datetime(2026, 11, 23, tzinfo=ZONE))
RAGGED = (datetime(2026, 11, 14, 5, tzinfo=ZONE), datetime(2026, 11, 22, 17, tzinfo=ZONE))


def answers() -> list[list[dict]]:
    asked = [
        Scope(Window(*bounds), keys, step, filters, excludes, teams)
        for bounds in (WHOLE, RAGGED)
        for keys, step, filters, excludes, teams in (
            (("team",), "day", {}, {}, None),
            (("cluster", "node_pool", "gpu_model"), "week", {"team": ("fraud", "nlp")}, {}, None),
            ((), "month", {}, {"job_kind": ("Notebook",)}, frozenset({"fraud"})),
        )
    ]
    return [[row.as_json() for row in queries.costs(scope).rows] for scope in asked]


@pytest.mark.django_db
def test_groups_answer_as_the_lines_do():
    open_company(datetime(2026, 11, 23, 9, tzinfo=ZONE), days=12)
    by_lines = answers()
    with connection.cursor() as cursor:
        cursor.execute("select distinct cluster_id, day from ledger_day")
        for cluster, day in cursor.fetchall():
            cursor.execute(ledger.GROUP, {"cluster": cluster, "day": day})
        assert answers() == by_lines
        assert all(by_lines)
        cursor.execute("select count(*), count(distinct day) from ledger_group where day >= '2026-11-16' and day < '2026-11-18'")
        assert cursor.fetchone()[1] == 2
        cursor.execute("update ledger_day set allocated = allocated + 1, used = used + 1, capacity = capacity + 1 where day = '2026-11-17'")
        cursor.execute("select count(distinct day) from ledger_group where day >= '2026-11-16' and day < '2026-11-18'")
        assert cursor.fetchone() == (1,)
    assert answers() != by_lines
