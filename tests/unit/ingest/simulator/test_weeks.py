"""Weeks of the demo company."""

from datetime import UTC, datetime, timedelta

import pytest

from ingest.simulator.weeks import THU, Week, dice, seed_for, uuid, week_of


def unix(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_a_week_begins_on_local_monday() -> None:
    assert week_of(unix("2026-11-15T22:59:59"), seed=0).index + 1 == week_of(unix("2026-11-15T23:00"), seed=0).index


@pytest.mark.parametrize(
    ("day", "clock", "right"),
    [(3, "01:00", "2026-11-19T00:00"), (0, "00:00", "2026-11-15T23:00"), (7, "00:10", "2026-11-22T23:10")],
)
def test_local_clock_times(day: int, clock: str, right: str) -> None:
    assert week_of(unix("2026-11-18T12:00"), seed=0).at(day, clock) == unix(right)


def test_clock_times_follow_summer_time() -> None:
    week = week_of(unix("2026-10-20T12:00"), seed=0)  # its Sunday, 25 October, has 25 hours
    assert week.at(6, "01:00") == unix("2026-10-24T23:00")
    assert week.at(6, "04:00") == unix("2026-10-25T03:00")


@pytest.mark.parametrize("hour", range(0, 24 * 28, 7))
def test_whenever_the_demo_starts_the_last_eight_days_hold_the_expensive_thursday(hour: int) -> None:
    now = datetime(2026, 11, 2, 0, 30, tzinfo=UTC) + timedelta(hours=hour)
    seed = seed_for(now.timestamp())
    weeks = [Week(week_of(now.timestamp(), seed=seed).index + n, seed) for n in (-2, -1, 0)]
    story = [week for week in weeks if week.position == 0]
    assert len(story) == 1 and seed in (0, 1, 2, 3)
    begin, end = story[0].at(THU, "00:00"), story[0].at(THU + 1, "00:00")
    assert end <= now.timestamp() and begin >= now.timestamp() - 8 * 86400


def test_positions_turn_in_cycles_of_four() -> None:
    assert [Week(index, 2).position for index in (2, 3, 4, 5, 6, 7)] == [0, 1, 2, 3, 0, 1]


def test_dice_and_names_depend_on_the_words_alone() -> None:
    assert dice(1, "a") == dice(1, "a") != dice(1, "b")
    assert len({dice(n) for n in range(1000)}) == 1000
    assert 0.45 < sum(dice(n) for n in range(1000)) / 1000 < 0.55
    parts = uuid("x").split("-")
    assert [len(part) for part in parts] == [8, 4, 4, 4, 12] and parts[2][0] == "4"
