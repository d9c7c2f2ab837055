"""Days of 25, 23, 24 and 24 and a half hours, and a batch that runs from one to four by the clock on each.

One A100 at 2.00 an hour, there from two hours before one local day to two hours after it: by day, 2, 21 and 2 hours are nobody's.
Team nightly holds it from 1:00 to 4:00 of the local clock of that day, half busy.

    Berlin     26 Oct 2025   25 h; 2:00 to 3:00 is there twice     1 to 4 =  4 h    8.00 = 4 + 4    nobody 21 h, 42.00
               30 Mar 2025   23 h; 2:00 to 3:00 is not there        1 to 4 =  2 h    4.00 = 2 + 2    nobody 21 h, 42.00
    Adelaide    6 Apr 2025   25 h, +10:30 becomes +9:30             1 to 4 =  4 h    8.00            nobody 21 h, 42.00
                5 Oct 2025   23 h, +9:30 becomes +10:30             1 to 4 =  2 h    4.00            nobody 21 h, 42.00
    Lord Howe   6 Apr 2025   24.5 h, +11 becomes +10:30             1 to 4 =  3.5 h  7.00            nobody 21 h, 42.00
    Kolkata     8 Oct 2025   24 h at +5:30, no change               1 to 4 =  3 h    6.00            nobody 21 h, 42.00

The day has as many hourly rows as hours, and their sum is the day. In Berlin in October two of them begin at 2:00, told apart by
their offset. In Adelaide and Kolkata hours begin at half past by UTC. On Lord Howe the clock falls from 2:00 to 1:30: that
half hour has a row of its own, so 25 rows make 24.5 hours.
"""

from datetime import date, timedelta

import pytest

from tests.world import World, followed, queried

CONFIGURATION = """
currency: EUR
timezone: {zone}
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: nightly, match: {{namespace: batch}}}}
rates:
  - {{price: "2.00", currency: EUR, from: 2025-01-01}}
"""
DAY = """
day   team        | allocated used idle starting unmeasured unallocated cost   used_cost idle_cost unallocated_cost efficiency coverage per_used per_allocated
{day} nightly     | {held}    {half} {half} 0    0          0           {cost} {held}    {held}    0                0.5        1        4        2
{day} unallocated | 0         0    0    0        0          21          42     0         0         42               –          –        –        –
total -           | {held}    {half} {half} 0    0          21          {bill} {held}    {held}    42               0.5        1        4        2
"""
CASES = [
    pytest.param(
        "Europe/Berlin",
        "2025-10-26",
        "2025-10-27",
        {"held": 4, "half": 2, "cost": 8, "bill": 50},
        25,
        ("+02:00", "+01:00"),
        id="Berlin, autumn",
    ),
    pytest.param(
        "Europe/Berlin",
        "2025-03-30",
        "2025-03-31",
        {"held": 2, "half": 1, "cost": 4, "bill": 46},
        23,
        ("+01:00", "+02:00"),
        id="Berlin, spring",
    ),
    pytest.param(
        "Australia/Adelaide",
        "2025-04-06",
        "2025-04-07",
        {"held": 4, "half": 2, "cost": 8, "bill": 50},
        25,
        ("+10:30", "+09:30"),
        id="Adelaide, autumn",
    ),
    pytest.param(
        "Australia/Adelaide",
        "2025-10-05",
        "2025-10-06",
        {"held": 2, "half": 1, "cost": 4, "bill": 46},
        23,
        ("+09:30", "+10:30"),
        id="Adelaide, spring",
    ),
    pytest.param(
        "Australia/Lord_Howe",
        "2025-04-06",
        "2025-04-07",
        {"held": "3.5", "half": "1.75", "cost": 7, "bill": 49},
        25,
        ("+11:00", "+10:30"),
        id="Lord Howe",
    ),
    pytest.param(
        "Asia/Kolkata",
        "2025-10-08",
        "2025-10-09",
        {"held": 3, "half": "1.5", "cost": 6, "bill": 48},
        24,
        ("+05:30", "+05:30"),
        id="Kolkata",
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "day", "after", "figures", "rows", "offsets"), CASES)
def test_a_night_and_a_day_by_the_local_clock(zone, day, after, figures, rows, offsets, every_way, tmp_path) -> None:
    evening, morning = f"{date.fromisoformat(day) - timedelta(days=1)}T22:00", f"{after}T02:00"
    world, night = World(zone).machine("n1", 1, (evening, morning)), (f"{day}T01:00", f"{day}T04:00")
    world.tenant("batch", 1, night, namespace="batch", done=True).board("GPU-0", 0.5, night, pod="batch", namespace="batch")
    world.board("GPU-0", 0.0, (evening, night[0]), (night[1], morning))
    followed(CONFIGURATION.format(zone=zone, file=world.file(tmp_path)), tmp_path, start=evening, end=morning)
    every_way(DAY.format(day=day, **figures), day, after, step="day")
    days = [
        (row["period_start"], row["period_end"], row["unallocated_gpu_hours"])
        for row in queried(evening, morning, by=(), step="day")["rows"]
    ]
    assert [free for *_, free in days] == ["2.0000000000", "21.0000000000", "2.0000000000"]
    assert days[1][:2] == (f"{day}T00:00:00{offsets[0]}", f"{after}T00:00:00{offsets[1]}")
    by_hour = queried(day, after, by=(), step="hour")["rows"]
    assert len(by_hour) == rows
    if (zone, day) == ("Europe/Berlin", "2025-10-26"):
        twice = [(row["period_start"], row["allocated_gpu_hours"]) for row in by_hour if "T02:00" in row["period_start"]]
        assert twice == [("2025-10-26T02:00:00+02:00", "1.0000000000"), ("2025-10-26T02:00:00+01:00", "1.0000000000")]
