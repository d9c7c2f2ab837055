"""Days, weeks and months of the reporting zone."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from finops.accounting.calendar import hours, midnight, period_end, period_start
from finops.models import Setting
from finops.queries import costs
from finops.scope import Scope, Window
from tests.cases_opencost.ground import GPU, HOUR, PER_DAY, TEN, Ground, bill, cluster, price

D = Decimal
pytestmark = pytest.mark.django_db


def held(name: str, first: datetime, count: int) -> Ground:
    """A GPU held over `count` hours from `first`, which is on the hour, scraped every five minutes."""
    cluster(interval=300)
    begin = round((first - TEN).total_seconds())
    times = range(begin - 1200, begin + count * 3600 + 1200, 300)
    return Ground().put("kube_node_status_capacity", {"node": "n1", "resource": GPU}, 1, times).hold(name, times=times)


def steps(step: str, start: datetime, end: datetime) -> list[tuple[str, Decimal]]:
    answer = costs(Scope(Window(start, end), (), step))
    assert answer.balanced
    return [(row.period_start.isoformat(), row.allocated_gpu_hours) for row in answer.rows]


def test_weeks_begin_on_the_configured_day(tmp_path) -> None:  # OC-76
    Setting.objects.create(timezone="UTC", week_starts="sunday")
    days = (0, 5 * 24, 12 * 24)  # Tuesday 6 October, Sunday 11 and 18
    fleet = Ground()
    for hour in days:
        times = range(hour * 3600 - 1200, hour * 3600 + 8400, 60)
        fleet.node(times=times).hold("a", uid=f"run-{hour}", times=times)
    fleet.collected(tmp_path, hours=days)
    found = steps("week", datetime(2026, 10, 6, tzinfo=UTC), datetime(2026, 10, 21, tzinfo=UTC))
    assert found == [("2026-10-04T00:00:00+00:00", 1), ("2026-10-11T00:00:00+00:00", 1), ("2026-10-18T00:00:00+00:00", 1)]


@pytest.mark.parametrize(
    ("day", "first"),
    [pytest.param(date(2026, 4, 7), date(2026, 4, 5), id="OC-76 first"), pytest.param(date(2026, 4, 12), date(2026, 4, 12), id="OC-76 Sunday"),
     pytest.param(date(2026, 4, 22), date(2026, 4, 19), id="OC-76 last")],
)  # fmt: skip
def test_the_week_that_holds_a_day(day: date, first: date) -> None:
    assert period_start(day, step="week", week_starts=6) == first
    assert period_end(first, step="week") == first + timedelta(days=7)


@pytest.mark.parametrize(
    ("zone", "day", "right"),
    [
        pytest.param("America/Bogota", date(2026, 10, 7), 24, id="OC-78 five hours behind"),
        pytest.param("Asia/Kolkata", date(2026, 10, 7), 24, id="OC-78 five and a half ahead"),
        pytest.param("Europe/Berlin", date(2026, 10, 25), 25, id="OC-79 autumn"),
        pytest.param("Europe/Berlin", date(2026, 3, 29), 23, id="OC-79 spring"),
    ],
)
def test_a_day_is_the_local_one(zone: str, day: date, right: int, tmp_path) -> None:
    Setting.objects.create(timezone=zone)
    start, end = (midnight(each, zone=ZoneInfo(zone)) for each in (day, day + timedelta(days=1)))
    offset = (start - TEN) / HOUR
    held("a", start, right).collected(tmp_path, hours=[offset + n for n in range(right)])
    assert steps("day", start, end) == [(start.astimezone(ZoneInfo(zone)).isoformat(), right)]
    assert start.astimezone(ZoneInfo(zone)).date() == day and (end - start) == right * HOUR


def test_march_has_743_hours_in_berlin() -> None:  # OC-79
    berlin = ZoneInfo("Europe/Berlin")
    spans = list(hours(midnight(date(2026, 3, 1), zone=berlin), midnight(date(2026, 4, 1), zone=berlin), zone=berlin))
    assert len(spans) == 743 and {end - start for start, end in spans} == {HOUR}


def test_days_add_up_to_the_window(tmp_path) -> None:  # OC-80
    price("2.9224583333")
    held("a", TEN, 50).collected(tmp_path, hours=range(50))
    window = Window(TEN, TEN + 50 * HOUR)
    total = costs(Scope(window)).total.cost
    assert total == 50 * D("2.9224583333")
    for step in ("hour", "day", "week", "month"):
        assert sum(row.cost for row in costs(Scope(window, ("team",), step)).rows) == total
    assert [row.cost for row in costs(Scope(window, (), "day")).rows] == [n * D("2.9224583333") for n in (14, 24, 12)]


def test_a_day_has_its_last_second(tmp_path) -> None:  # OC-81
    price("3600")
    cluster(interval=300)
    Ground().node(times=PER_DAY).hold("a", times=PER_DAY).collected(tmp_path, hours=range(24))
    assert bill(hours=24).total.cost == 86400
