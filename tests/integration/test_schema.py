"""The database itself refuses what does not balance."""

import pytest
from django.db import DatabaseError, connection, transaction

LINE = """insert into ledger_hour (cluster_id, hour, since, holding, price, allocated, used, idle, starting, unmeasured, unallocated,
    capacity, cost, used_cost, idle_cost, starting_cost, unmeasured_cost, unallocated_cost)
    values (1, '2026-10-01 10:00+00', '2026-10-01 10:00+00', '00000000-0000-0000-0000-000000000001',
    {price}, {allocated}, {used}, 0.5, 0, 0, 0, {capacity}, {cost}, 1, 1, 0, 0, 0)"""
GOOD = {"price": "2", "allocated": "1", "used": "0.5", "capacity": "1", "cost": "2"}


@pytest.fixture
def month(db):
    with connection.cursor() as cursor:
        cursor.execute("select ensure_month('2026-10-01')")
        yield cursor


def test_a_balanced_line_is_stored(month) -> None:
    month.execute(LINE.format(**GOOD))
    month.execute("select count(*) from ledger_hour")
    assert month.fetchone() == (1,)


@pytest.mark.parametrize(
    "wrong",
    [
        {"allocated": "0.9999999999"},
        {"used": "'NaN'", "allocated": "'NaN'", "capacity": "'NaN'"},
        {"capacity": "1.0000000001"},
        {"cost": "1.9999999999"},
        {"cost": "'NaN'"},
        {"cost": "null"},
        {"price": "null"},
        {"price": "'Infinity'"},
    ],
)
def test_what_does_not_balance_is_refused(month, wrong) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        month.execute(LINE.format(**(GOOD | wrong)))


def test_an_hour_that_differs_from_its_lines_is_refused_and_says_by_how_much(month) -> None:
    month.execute(LINE.format(**GOOD))
    with pytest.raises(DatabaseError, match="lines give 1.0000000000 GPU-hours and 2.0000000000 money, the hour has 3"), transaction.atomic():
        month.execute(
            """insert into collection_window (cluster_id, start, "end", capacity_gpu_hours, cost)
               values (1, '2026-10-01 10:00+00', '2026-10-01 11:00+00', 3, 2)"""
        )
        month.execute("set constraints all immediate")
