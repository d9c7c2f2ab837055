"""Hours that failed as lines."""

from datetime import UTC, datetime, timedelta

from finops.accounting.runs import Failed, lines

TEN = datetime(2026, 10, 6, 10, tzinfo=UTC)


def failed(n: float, *, cluster: str = "a", why: str = "no rate") -> Failed:
    return Failed(cluster, TEN + timedelta(hours=n), why)


def test_one_hour_is_one_line() -> None:
    assert lines([failed(0)]) == ["cluster a, 2026-10-06T10:00:00+00:00: no rate"]


def test_neighbours_with_one_reason_are_one_line_in_whatever_order_they_come() -> None:
    assert lines([failed(2), failed(0), failed(1)]) == [
        "cluster a, 2026-10-06T10:00:00+00:00 and the 2 hours after it, up to 2026-10-06T12:00:00+00:00: no rate"
    ]


def test_a_gap_another_reason_and_another_cluster_begin_a_line() -> None:
    found = lines([failed(0), failed(2), failed(3, why="poison"), failed(3, cluster="b", why="poison")])
    assert [line.split(":00+00:00: ")[0][-27:] for line in found] == [
        "cluster a, 2026-10-06T10:00", "cluster a, 2026-10-06T12:00", "cluster a, 2026-10-06T13:00", "cluster b, 2026-10-06T13:00",
    ]  # fmt: skip


def test_hours_of_a_zone_that_shifts_by_half_an_hour_are_neighbours_too() -> None:
    assert len(lines([failed(0), failed(0.5), failed(1.5)])) == 1
