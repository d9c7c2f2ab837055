"""The words of an address; Zurich is UTC+1 in November, UTC+2 in October."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from finops.scope import Refused, Window
from reports.params import scope_from
from reports.windows import before

ZURICH, KOLKATA = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Kolkata")
NOW = datetime(2026, 11, 23, 8, 40, tzinfo=UTC)


def asked(zone=ZURICH, default="", **params):
    return scope_from({name: [value] for name, value in params.items()}, zone=zone, now=NOW, window=default)


def test_dates_are_of_the_reporting_zone():
    window = asked(start="2026-10-01", end="2026-11-01").window
    assert window.start == datetime(2026, 9, 30, 22, tzinfo=UTC)
    assert window.end == datetime(2026, 10, 31, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("word", "start", "end"),
    [
        ("7d", datetime(2026, 11, 15, 23), datetime(2026, 11, 22, 23)),
        ("30d", datetime(2026, 10, 23, 22), datetime(2026, 11, 22, 23)),
        ("mtd", datetime(2026, 10, 31, 23), datetime(2026, 11, 23, 8)),
        ("lastmonth", datetime(2026, 9, 30, 22), datetime(2026, 10, 31, 23)),
    ],
)
def test_words_of_the_page(word, start, end):
    window = asked(default="7d", **({} if word == "7d" else {"window": word})).window
    assert (window.start, window.end) == (start.replace(tzinfo=UTC), end.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("word", "start", "end"),
    [
        ("24h", (2026, 11, 22, 8), (2026, 11, 23, 8)),
        ("1d", (2026, 11, 21, 23), (2026, 11, 22, 23)),
        ("2w", (2026, 11, 8, 23), (2026, 11, 22, 23)),
        ("today", (2026, 11, 22, 23), (2026, 11, 23, 8)),
        ("yesterday", (2026, 11, 21, 23), (2026, 11, 22, 23)),
        ("week", (2026, 11, 22, 23), (2026, 11, 23, 8)),
        ("lastweek", (2026, 11, 15, 23), (2026, 11, 22, 23)),
        ("month", (2026, 10, 31, 23), (2026, 11, 23, 8)),
        ("2026-10-01,2026-11-01", (2026, 9, 30, 22), (2026, 10, 31, 23)),
        ("2026-10-01T00:00:00Z, 2026-10-01T02:00:00Z", (2026, 10, 1), (2026, 10, 1, 2)),
    ],
)
def test_words_of_those_who_come_from_opencost(word, start, end):
    """The 23rd of November 2026 is a Monday, 09:40 in Zurich: the week is the day so far, the last one 16 to 22 November."""
    window = asked(window=word).window
    assert (window.start, window.end) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


def test_a_week_that_begins_on_sunday():
    """Sunday the 22nd began this week; the last one is the 15th to the 21st."""
    params = {"window": ["lastweek"]}
    window = scope_from(params, zone=UTC, now=NOW, week_starts="sunday").window
    assert (window.start, window.end) == (datetime(2026, 11, 15, tzinfo=UTC), datetime(2026, 11, 22, tzinfo=UTC))


@pytest.mark.parametrize(("word", "step"), [("1h", "hour"), ("1d", "day"), ("24h", "day"), ("7d", "week"), ("monthly", "month"), ("day", "day")])
def test_aggregate_and_steps_by_other_names(word, step):
    scope = asked(window="7d", aggregate="namespace,label:app", step=word)
    assert (scope.group_by, scope.step) == (("namespace", "label:app"), step)


def test_the_hour_is_that_of_the_zone():
    window = asked(zone=KOLKATA, start="2026-11-01", end="2026-11-02").window
    assert window.start == datetime(2026, 10, 31, 18, 30, tzinfo=UTC)


def test_off_the_hour_names_the_nearest_hours():
    with pytest.raises(Refused) as refused:
        asked(start="2026-11-01T00:30", end="2026-11-02")
    assert "2026-11-01T00:00:00+01:00 and 2026-11-01T01:00:00+01:00" in str(refused.value)


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"end": "2026-11-02"}, "start is missing"),
        ({"start": "yesterday", "end": "2026-11-02"}, "ISO 8601"),
        ({"start": "2026-11-01", "end": "2026-11-02", "window": "7d"}, "window and start, end exclude each other"),
        ({"start": "2026-11-01", "end": "2026-11-02", "bogus": "7d"}, "unknown parameter 'bogus'; known: start"),
        ({"window": "fortnight"}, "unknown window 'fortnight'; known: <n>h"),
        ({"window": "0d"}, "unknown window '0d'"),
        ({"window": "99999w"}, "longer than any ledger"),
        ({"window": "2026-11-01,2026-11-02,2026-11-03"}, "not two instants"),
        ({"window": "2026-11-01,"}, "end is missing"),
        ({"window": "1d", "group_by": "team", "aggregate": "team"}, "aggregate is another name of group_by"),
        ({"window": "1d", "group_by": "team,job,team"}, "group_by names 'team' 2 times"),
        ({"window": "1d", "aggregate": "label:"}, "aggregate names a label without its name"),
        ({"window": "1d", "step": "fortnight"}, "unknown step 'fortnight'; known: total, hour"),
        ({"start": "2026-11-02", "end": "2026-11-01"}, "not after"),
        ({"start": "2026-11-01", "end": "2026-11-02", "team": "\x00"}, "NUL"),
    ],
)
def test_refused_in_one_line(params, word):
    with pytest.raises(Refused, match=word):
        asked(**params)


def test_filters_are_or_and_excludes_stand_apart():
    params = {
        "start": ["2026-11-01"],
        "end": ["2026-11-02"],
        "team": ["a", "b"],
        "exclude.team": ["c"],
        "label:app": ["x"],
    }
    scope = scope_from({**params, "group_by": ["team,job", "pod"]}, zone=ZURICH, now=NOW)
    assert scope.filters == {"team": ("a", "b"), "label:app": ("x",)}
    assert scope.excludes == {"team": ("c",)}
    assert scope.group_by == ("team", "job", "pod")


@pytest.mark.parametrize(
    ("start", "end", "then", "until"),
    [
        ("2026-11-16", "2026-11-23", "2026-11-09", "2026-11-16"),
        ("2026-10-24", "2026-11-23", "2026-09-24", "2026-10-24"),
        ("2026-10-01", "2026-11-01", "2026-09-01", "2026-10-01"),
        ("2026-11-01", "2026-11-08", "2026-10-25", "2026-11-01"),  # 25 October has 25 hours
        ("2026-11-18T02:00", "2026-11-18T05:00", "2026-11-17T23:00", "2026-11-18T02:00"),
    ],
)
def test_the_period_before(start, end, then, until):
    def window(*texts):
        return Window(*(datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC) for text in texts))

    assert before(window(start, end), zone=ZURICH) == window(then, until)


def test_thirty_days_that_are_a_month_are_compared_with_thirty_days():
    november, before_it = (Window(*(datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC) for text in texts))
                           for texts in (("2026-11-01", "2026-12-01"), ("2026-10-02", "2026-11-01")))  # fmt: skip
    assert before(november, zone=ZURICH, rolling=True) == before_it


@pytest.mark.parametrize(
    ("start", "end", "then", "until"),
    [
        ("2026-11-01", "2026-11-23T09:00", "2026-10-01", "2026-10-23T09:00"),
        ("2026-12-01", "2026-12-01T03:00", "2026-11-01", "2026-11-01T03:00"),
        ("2026-03-01", "2026-03-31", "2026-02-01", "2026-03-01"),  # February has no 30 days
    ],
)
def test_the_month_before_up_to_the_same_hour(start, end, then, until):
    def window(*texts):
        return Window(*(datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC) for text in texts))

    assert before(window(start, end), zone=ZURICH, to_date=True) == window(then, until)
