"""Figures in words."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from finops.job import words
from finops.job.explanation import Decided
from tests.unit.finops.job.told import RATE, RULE, charge, row

D = Decimal
ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    ("seconds", "right"),
    [(0, "0 s"), (45, "45 s"), (3600, "1 h"), (12000, "3 h 20 min"), (90061, "25 h 1 min 1 s"), (3_600_000, "1,000 h"), (3605, "1 h 5 s")],
)
def test_durations(seconds: int, right: str) -> None:
    assert words.duration(seconds) == right


@pytest.mark.parametrize(("amount", "right"), [("3.8", "3.80"), ("3.8000000000", "3.80"), ("0.4605", "0.4605"), ("4", "4.00"), ("100", "100.00")])
def test_a_price_keeps_its_digits(amount: str, right: str) -> None:
    assert words.price(D(amount)) == right


def test_no_figure_is_a_dash_and_halves_go_up() -> None:
    assert (words.rounded(None), words.rounded(D("1234.565")), words.rounded(D("-0.5"), 4)) == ("–", "1,234.57", "-0.5000")
    assert (words.per_cent(None), words.per_cent(D("0.3333"))) == ("–", "33.3 %")


@pytest.mark.parametrize(("count", "right"), [(Fraction(4), "4 GPUs"), (Fraction(1), "1 GPU"), (Fraction(3, 7), "3/7 GPU"), (Fraction(3, 2), "3/2 GPUs")])
def test_gpus(count: Fraction, right: str) -> None:
    assert words.gpus(count) == right


def test_the_arithmetic() -> None:
    """2 × 1.5 h × 3.80 = 11.40."""
    assert words.arithmetic(charge(), "CHF") == "2 GPUs × 1 h 30 min = 3.0000 GPU-hours × 3.80 CHF = 11.40 CHF"


def test_the_arithmetic_of_what_was_scaled_down_or_up() -> None:
    half = row(allocated="2.5", used="2.5", cost="9.5", used_cost="9.5")
    less = charge(missing=D("0.5"), sums=half)
    assert words.arithmetic(less, "CHF") == "2 GPUs × 1 h 30 min − 0.5000 = 2.5000 GPU-hours × 3.80 CHF = 9.50 CHF"
    assert "1 h 30 min + 0.5000 =" in words.arithmetic(charge(missing=D("-0.5")), "CHF")


def test_the_arithmetic_of_two_holds_of_none_and_without_a_price() -> None:
    two = charge(times=((Fraction(1), 3600), (Fraction(1, 7), 1800)), price=None)
    assert words.arithmetic(two, "CHF") == "1 GPU × 1 h + 1/7 GPU × 30 min = 3.0000 GPU-hours, unpriced"
    assert words.arithmetic(charge(times=(), price=None), "CHF") == "3.0000 GPU-hours, unpriced"


def test_phases_that_are_zero_are_left_out() -> None:
    assert words.phases(row(used="1", used_cost="3.8"), "CHF") == "used 1.0000 (3.8000 CHF)"
    assert words.phases(row(used="1", used_cost=None, unmeasured="0.5", unmeasured_cost=None), "CHF") == "used 1.0000, unmeasured 0.5000"


def test_a_span_tells_the_day_once_unless_the_clock_changes_in_it() -> None:
    noon = int(datetime(2026, 10, 6, 10, tzinfo=UTC).timestamp())
    assert words.span(noon, noon + 5400, ZURICH) == "2026-10-06 12:00:00 – 13:30:00"
    assert words.span(noon, noon + 86400, ZURICH) == "2026-10-06 12:00:00 – 2026-10-07 12:00:00"
    night = int(datetime(2026, 10, 24, 23, tzinfo=UTC).timestamp())
    assert words.span(night, night + 3 * 3600, ZURICH) == "2026-10-25 01:00:00 – 2026-10-25 03:00:00"


def test_a_rate() -> None:
    assert words.rate(RATE, "CHF", ZURICH) == "3.80 CHF per GPU-hour for gpu_model Tesla T4, from 2026-01-01 01:00"
    every = replace(RATE, selector=(), start=None, end=datetime(2026, 6, 30, 22, tzinfo=UTC), origin="list")
    assert words.rate(every, "CHF", ZURICH) == "3.80 CHF per GPU-hour for every GPU, always until 2026-07-01 00:00; a public list price that stands in"
    euro = replace(RATE, entered=D(2), entered_currency="EUR", exchange=D("0.94"), exchange_from=datetime(2026, 5, 1, tzinfo=UTC), price=D("1.88"))
    assert words.rate(euro, "CHF", ZURICH).endswith("01:00; × 0.94 (exchange rate of 2026-05-01) = 1.88 CHF")


def test_a_rule() -> None:
    assert words.rule(RULE) == 'fraud: entry 2 of teams, namespace "fraud-*" holds for fraud-lab'
    assert words.rule(Decided("unassigned", None, "", ())) == "unassigned: no entry of teams holds"
    assert words.rule(Decided("old", None, "", ())) == "old: by rules that are no longer there"


def test_a_list_of_names() -> None:
    assert (words.listed(["a", "b", "c"]), words.listed(["a", "b", "c", "d", "e"])) == ("a, b, c", "a, b, c and 2 more")
