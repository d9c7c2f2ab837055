"""What is incomplete, in words; Zurich is UTC+1 in November. Every text worked by hand."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from finops.scope import Window
from reports.pages.gaps import days_of, odd_days, phrases, within

ZURICH = ZoneInfo("Europe/Zurich")
SILENT = {"state": "done", "reason": "the source has no samples"}


def entry(start, end, **more):
    return {"cluster": "lab", "start": f"2026-11-{start}:00+01:00", "end": f"2026-11-{end}:00+01:00", **SILENT, **more}


def test_windows_that_touch_are_one():
    entries = [entry("18T02:00", "18T03:00"), entry("18T03:00", "18T04:00"), entry("19T23:00", "20T00:00")]
    assert phrases(entries, ZURICH, as_of=None) == [
        "lab, Wed 18 Nov 02:00–04:00 (the source has no samples)",
        "lab, Thu 19 Nov 23:00–24:00 (the source has no samples)",
    ]


def test_what_is_not_there_yet_has_no_end():
    entries = [entry("23T09:00", "23T10:00", state="missing", reason=""), entry("23T10:00", "23T11:00", state="missing", reason="")]
    as_of = datetime(2026, 11, 23, 8, tzinfo=UTC)
    assert phrases(entries, ZURICH, as_of=as_of) == ["lab, from Mon 23 Nov 2026, 09:00 on (not collected yet)"]


def test_five_are_named_and_the_rest_counted():
    entries = [entry(f"{day}T02:00", f"{day}T03:00") for day in range(10, 18)]
    texts = phrases(entries, ZURICH, as_of=None)
    assert (len(texts), texts[-1]) == (6, "and 3 more")


def test_days_and_window_they_touch():
    entries = [entry("18T23:00", "19T01:00"), entry("21T00:00", "21T01:00")]
    assert days_of(entries, ZURICH) == {date(2026, 11, 18), date(2026, 11, 19), date(2026, 11, 21)}
    window = Window(datetime(2026, 11, 18, 23, tzinfo=UTC), datetime(2026, 11, 20, 23, tzinfo=UTC))
    assert within(entries, window) == entries[:1]


def test_days_that_are_not_24_hours_are_named():
    window = Window(datetime(2026, 10, 20, tzinfo=UTC), datetime(2026, 10, 28, tzinfo=UTC))
    assert odd_days(window, ZURICH) == ["25 Oct has 25 hours"]
    spring = Window(datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 3, 30, tzinfo=UTC))
    assert odd_days(spring, ZURICH) == ["29 Mar has 23 hours"]
