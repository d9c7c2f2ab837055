"""Days of zones whose clocks go back over midnight: it is there twice, and the day begins with the first."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from finops import pipeline
from finops.accounting.calendar import hours, midnight
from finops.apply import apply
from finops.configuration.schema import parse
from finops.models import Cluster, Setting
from finops.queries import costs
from finops.scope import Scope, Window
from ingest.collect import collect
from ingest.sources.openmetrics import open_file
from tests.fleet import GPU, HOUR, TEN, Fleet


# 2026-10-25 in the Azores: 01:00 +00:00 becomes 00:00 -01:00. 2026-11-01 in Havana: 01:00 -04:00 becomes 00:00 -05:00.
@pytest.mark.parametrize(("name", "day"), [("Atlantic/Azores", datetime(2026, 10, 25)), ("America/Havana", datetime(2026, 11, 1))])
def test_the_autumn_day_has_25_hours(name: str, day: datetime, db, tmp_path) -> None:
    zone = ZoneInfo(name)
    Setting.objects.create(currency="CHF", timezone=name)
    start = midnight(day.date(), zone=zone)
    end = midnight(day.date() + timedelta(days=1), zone=zone)
    assert end - start == timedelta(hours=25)
    offset = round((start - datetime(2026, 10, 6, 10, tzinfo=UTC)).total_seconds())
    (tmp_path / "fleet.om").write_text("\n".join([*Fleet().node(times=range(offset - 600, offset + 26 * 3600, 60)).lines, "# EOF\n"]))
    row = Cluster.objects.create(name="lab", source={}, scrape_interval=60)
    assert collect(row, list(hours(start, end, zone=zone)), source=open_file(tmp_path / "fleet.om"), until=end, settled=end) == []
    pipeline.account(row)
    assert [(step, costs(Scope(Window(start, end), step=step)).total.capacity_gpu_hours) for step in ("hour", "day")] == [("hour", 25), ("day", 25)]


@pytest.mark.parametrize("name", ["CET", "America/Vancouver"])
def test_days_do_not_depend_on_what_the_database_knows_of_zones(name: str, db, tmp_path) -> None:
    """PostgreSQL reads CET as an offset without summer, and its rules may be older or newer than ours."""
    zone = ZoneInfo(name)
    Setting.objects.create(currency="CHF", timezone=name)
    start, end = midnight(date(2026, 10, 6), zone=zone), midnight(date(2026, 10, 9), zone=zone)
    row = Cluster.objects.create(name="lab", source={}, scrape_interval=60)
    times = range(*(round((t - TEN).total_seconds()) for t in (start - HOUR / 2, end + HOUR / 2)), 60)
    capacity = Fleet().put("kube_node_status_capacity", {"node": "n1", "resource": GPU}, 1, times)
    (tmp_path / "fleet.om").write_text("\n".join([*capacity.lines, "# EOF\n"]))
    assert collect(row, list(hours(start, end, zone=zone)), source=open_file(tmp_path / "fleet.om"), until=end, settled=end) == []
    pipeline.account(row)
    whole = Window(start + HOUR * 5, end - HOUR * 5)  # ragged at both ends
    answer = costs(Scope(whole, step="day"))
    assert [(each.period_start, each.capacity_gpu_hours) for each in answer.rows] == [
        (start, 19), (start + HOUR * 24, 24), (start + HOUR * 48, 19)
    ]  # fmt: skip
    assert answer.total.capacity_gpu_hours == 62
    for window, split in ((Window(start + HOUR * 20, start + HOUR * 30), [4, 6]), (Window(start + HOUR, start + HOUR * 3), [2])):
        assert [each.capacity_gpu_hours for each in costs(Scope(window, step="day")).rows] == split


def test_a_change_of_zone_leaves_no_day_empty(db, tmp_path) -> None:
    """Three days of UTC: from ten in the evening Berlin is a day further. Nothing is accounted in between, and nothing is missing."""
    apply(parse("timezone: UTC"), now=TEN)
    start, end = datetime(2026, 10, 6, tzinfo=UTC), datetime(2026, 10, 9, tzinfo=UTC)
    row = Cluster.objects.create(name="lab", source={}, scrape_interval=60)
    times = range(*(round((t - TEN).total_seconds()) for t in (start - HOUR / 2, end + HOUR / 2)), 60)
    (tmp_path / "fleet.om").write_text("\n".join([*Fleet().node(times=times).lines, "# EOF\n"]))
    assert collect(row, list(hours(start, end, zone=ZoneInfo("UTC"))), source=open_file(tmp_path / "fleet.om"), until=end, settled=end) == []
    pipeline.account(row)
    days = lambda: [each.capacity_gpu_hours for each in costs(Scope(Window(start, end), step="day")).rows]  # noqa: E731
    assert days() == [24, 24, 24]
    apply(parse("timezone: Europe/Berlin"), now=TEN)
    assert days() == [22, 24, 24, 2]
    pipeline.account(row)
    assert days() == [22, 24, 24, 2]
