"""How many hours' facts are read at once."""

from datetime import UTC, datetime, timedelta

from finops.pipeline import Due, portions

TEN = datetime(2026, 10, 6, 10, tzinfo=UTC)


def windows(*rows: int) -> list[Due]:
    return [Due(TEN + timedelta(hours=n), TEN + timedelta(hours=n + 1), 1, count) for n, count in enumerate(rows)]


def groups(*rows: int, most: int) -> list[list[int]]:
    return [[each.rows for each in group] for group in portions(windows(*rows), most=most)]


def test_as_many_hours_as_have_room() -> None:
    assert groups(40, 40, 20, 1, 99, 2, most=100) == [[40, 40, 20], [1, 99], [2]]


def test_an_hour_above_the_room_comes_alone() -> None:
    assert groups(10, 500, 10, most=100) == [[10], [500], [10]]


def test_nothing_is_no_group() -> None:
    assert groups(most=100) == []
