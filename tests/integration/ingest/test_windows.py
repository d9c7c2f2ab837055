"""Whose turn a window is."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from ingest import store, windows
from ingest.sources import Spent
from ingest.tidy.facts import Facts

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def plan(hours: int, *, now: datetime = NOON) -> None:
    windows.plan(1, [(NOON - n * HOUR, NOON - (n - 1) * HOUR) for n in range(hours, -1, -1)], now=now)


def claim(*, lane: str = "newest", now: datetime = NOON + 30 * MINUTE, late: bool = True, owner: str = "w1") -> list[windows.Claim]:
    return windows.claim(1, lane=lane, owner=owner, now=now, settled=now - 2 * MINUTE, late=late)


def starts(claims: list[windows.Claim]) -> list[int]:
    """Hours from noon."""
    return [round((claimed.start - NOON) / HOUR) for claimed in claims]


def stored(claims: list[windows.Claim], *, now: datetime) -> None:
    for claimed in claims:
        facts = Facts(claimed.start, claimed.end, [], [], [], None)
        store.store(facts, cluster=1, attempt=claimed.attempt, until=now - 2 * MINUTE, settled=now - 2 * MINUTE, spent=Spent())
        with connection.cursor() as cursor:
            cursor.execute("update collection_window set collected_at = %s where start = %s", [now, claimed.start])


def column(name: str, hour: int):
    with connection.cursor() as cursor:
        cursor.execute(f"select {name} from collection_window where start = %s", [NOON + hour * HOUR])
        return cursor.fetchone()[0]


def test_two_lanes_meet_and_never_share_a_window() -> None:
    plan(9)
    assert starts(claim(lane="newest")) == [-5, -4, -3, -2, -1, 0]
    assert starts(claim(lane="oldest")) == [-9, -8, -7, -6]
    assert claim() == []


def test_hours_to_come_are_not_due() -> None:
    windows.plan(1, [(NOON, NOON + HOUR)], now=NOON)
    assert claim(now=NOON + MINUTE) == []
    assert starts(claim(now=NOON + 3 * MINUTE)) == [0]


def test_only_hours_of_more_than_a_day_ago_are_backfill() -> None:
    plan(30)
    assert column("backfill", -26) is True
    assert column("backfill", -25) is False  # it ended 24 hours ago: not yet more than a day


def test_what_the_source_forgot_rests_where_it_is_not_whole() -> None:
    """12:28 of the hour is stored; asked again after its end the source has nothing: not due again at once, but an hour later."""
    plan(0)
    stored(claim(), now=NOON + 30 * MINUTE)
    after = NOON + HOUR + 5 * MINUTE
    (again,) = claim(now=after)
    windows.forgot(1, again, "the source answers nothing", now=after)
    assert column("state", 0) == "partial" and column("problem", 0) == "the source answers nothing"
    assert claim(now=after + 59 * MINUTE) == []
    assert starts(claim(now=after + HOUR)) == [0]


def test_a_lease_that_ran_out_is_taken_over_and_its_holder_fenced_out() -> None:
    plan(0)
    (first,) = claim()
    later = NOON + 30 * MINUTE + windows.LEASE
    assert claim(now=later - MINUTE) == []
    (second,) = claim(now=later, owner="w2")
    assert second.attempt == first.attempt + 1
    with pytest.raises(windows.Overtaken):
        stored([first], now=later)
    stored([second], now=later)
    assert column("state", 0) == "partial"


def test_after_three_deaths_a_window_rests_and_says_why() -> None:
    plan(0)
    now = NOON + 2 * HOUR
    for _ in range(3):
        assert starts(claim(now=now)) == [0]
        now += windows.LEASE
    assert claim(now=now) == []
    assert (column("state", 0), column("failures", 0)) == ("failed", 3)
    assert "died 3 times" in column("problem", 0)
    assert starts(claim(now=now + HOUR)) == [0]


def test_a_window_that_failed_comes_alone_after_a_growing_pause() -> None:
    plan(2)
    now = NOON + 2 * HOUR
    windows.failed(1, claim(now=now), "no answer", now=now)
    assert claim(now=now + 59 * timedelta(seconds=1)) == []
    now += MINUTE
    for hour in (0, -1, -2):
        claims = claim(now=now)
        assert starts(claims) == [hour]
        windows.failed(1, claims, "no answer", now=now)
    assert claim(now=now + MINUTE) == []
    assert starts(claim(now=now + 2 * MINUTE)) == [0]
    assert (column("problem", -1), column("failures", -1)) == ("no answer", 2)


def test_the_running_hour_is_read_again_every_five_minutes_and_once_it_is_over() -> None:
    plan(0)
    now = NOON + 30 * MINUTE
    stored(claim(now=now), now=now)
    assert claim(now=now + 4 * MINUTE) == []
    now += 5 * MINUTE
    stored(claim(now=now), now=now)
    now = NOON + 62 * MINUTE
    stored(claim(now=now), now=now)
    assert column("state", 0) == "done"
    assert claim(now=now + HOUR) == []


def test_late_samples_are_looked_for_twice_where_a_source_may_have_them() -> None:
    plan(0)
    now = NOON + 62 * MINUTE
    stored(claim(now=now), now=now)
    for after in (4 * HOUR, timedelta(hours=73)):
        assert claim(now=NOON + after - MINUTE) == []
        assert claim(now=NOON + after, late=False) == []
        claims = claim(now=NOON + after)
        assert starts(claims) == [0]
        stored(claims, now=NOON + after)
    assert claim(now=NOON + timedelta(days=30)) == []


def test_a_done_window_that_is_read_again_in_vain_stays_done() -> None:
    plan(0)
    now = NOON + 62 * MINUTE
    stored(claim(now=now), now=now)
    windows.failed(1, claim(now=NOON + 5 * HOUR), "no answer", now=NOON + 5 * HOUR)
    assert column("state", 0) == "done"


def test_the_watermark_is_the_first_hour_not_done() -> None:
    assert windows.watermark(1) is None
    plan(30)
    now = NOON + 62 * MINUTE
    while claims := claim(now=now):
        if claims[-1].end <= NOON - 20 * HOUR:
            break
        stored(claims, now=now)
    assert windows.watermark(1) == NOON - 25 * HOUR  # older ones are backfill


def test_a_persons_order_goes_before_the_schedules() -> None:
    plan(0)
    (ours,) = claim()
    (theirs,) = windows.take(1, [(NOON, NOON + HOUR)], owner="person", now=NOON + 31 * MINUTE)
    stored([theirs], now=NOON + 31 * MINUTE)
    with pytest.raises(windows.Overtaken):
        stored([ours], now=NOON + 31 * MINUTE)


def test_equal_facts_leave_the_ledger_alone() -> None:
    plan(0)
    now = NOON + 62 * MINUTE
    stored(claim(now=now), now=now)
    with connection.cursor() as cursor:
        cursor.execute("update collection_window set dirty = false")
    version = column("facts_version", 0)
    stored(windows.take(1, [(NOON, NOON + HOUR)], owner="p", now=now), now=now)
    assert (column("dirty", 0), column("facts_version", 0)) == (False, version)
