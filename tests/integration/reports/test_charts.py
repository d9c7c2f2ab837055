"""The figure as it is sent: which bars, in which order, with which names; worked by hand."""

from datetime import date, datetime, timedelta
from decimal import Decimal as D
from zoneinfo import ZoneInfo

from finops.queries import SUMS, Row
from reports.charts import Bars, Frame, by_team, by_use, stacked

ZURICH = ZoneInfo("Europe/Zurich")
FIRST = date(2026, 11, 16)


def row(team: str, day: int, cost: str, **more: str) -> Row:
    start = datetime(2026, 11, day, tzinfo=ZURICH)
    sums = dict.fromkeys(SUMS, D(0)) | {"cost": D(cost)} | {name: D(value) for name, value in more.items()}
    return Row({"team": team}, start, start + timedelta(days=1), sums, "CHF")


def figure(rows, **more):
    days = [FIRST + timedelta(days=n) for n in range(3)]
    return stacked(Bars(by_team(rows), days, **more), Frame("CHF", "Europe/Zurich", {"fraud": "team-1", "unallocated": "unallocated"}))


ROWS = [row("fraud", 16, "60"), row("fraud", 17, "70"), row("unallocated", 16, "30"), row("a", 16, "1"), row("b", 17, "2")]


def test_the_largest_lies_at_the_bottom_small_ones_together_unallocated_on_top():
    bars = figure(ROWS)["data"]
    assert [(bar["name"], bar["y"]) for bar in bars] == [
        ("fraud", [60, 70, None]),
        ("other (2)", [1, 2, None]),
        ("unallocated", [30, None, None]),
    ]
    assert bars[0]["marker"]["color"] == "var(--team-1)"
    assert bars[2]["marker"]["pattern"]["shape"] == "/"


def test_the_running_day_is_one_pale_bar_and_a_day_that_misses_data_is_paler():
    bars = figure([*ROWS, row("fraud", 18, "12.5")], now=(date(2026, 11, 18), D("12.5"), "09:00"), pale=frozenset({FIRST}))["data"]
    assert bars[0]["y"] == [60, 70, None]
    assert bars[0]["marker"]["opacity"] == [0.45, 1, 1]
    assert (bars[-1]["name"], bars[-1]["x"], bars[-1]["y"]) == ("to 09:00", ["2026-11-18"], [12.5])


def test_by_use_has_the_order_of_the_identity():
    rows = [row("fraud", 16, "10", used_cost="4", idle_cost="6"), row("unallocated", 16, "3", unallocated_cost="3")]
    assert {bucket: dict(days) for bucket, days in by_use(rows).items()} == {
        "used": {FIRST: D(4)},
        "idle": {FIRST: D(6)},
        "unallocated": {FIRST: D(3)},
    }


def test_a_name_is_never_markup():
    drawn = figure([row("<a href='https://x.example'>R&D</a>", 16, "9")])
    texts = [drawn["data"][0]["name"], *(mark["text"] for mark in drawn["layout"]["annotations"])]
    assert not any("<" in text for text in texts)
    assert drawn["data"][0]["meta"] == {"series": "<a href='https://x.example'>R&D</a>"}


def test_a_brace_spans_its_days_and_says_its_sum():
    days = [FIRST + timedelta(days=n) for n in range(7)]
    frame = Frame("CHF", "Europe/Zurich", {}, [(FIRST, date(2026, 11, 23), "16–22 Nov", "163.00", True)])
    layout = stacked(Bars(by_team(ROWS), days), frame)["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]][1] == ("2026-11-15T12:00", "2026-11-22T12:00")
    assert [mark["text"] for mark in layout["annotations"][:2]] == ["16–22 Nov", "163.00"]
    assert layout["annotations"][0]["x"] == "2026-11-19"
