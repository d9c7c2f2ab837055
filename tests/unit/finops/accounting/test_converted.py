"""Rates in another currency follow the dated exchange rate."""

from datetime import UTC, datetime
from decimal import Decimal

from finops.accounting.instance_price import Size, Weights
from finops.accounting.rates import Asked, Priced, Rate, converted, in_force

D = Decimal
JAN, MAR, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 3, 5))
ASKED = Asked("c", "", "", "on-demand", "T4")


def test_each_span_has_its_own_exchange_rate() -> None:
    found = converted(Rate(D("2.00"), gpu_model="T4"), [(JAN, D("0.94")), (MAR, D("0.90"))], currency="EUR")
    prices = in_force(found, ASKED, start=JAN, end=MAY)
    assert [(p.start, p.end, p.price) for p in prices] == [(JAN, MAR, D("1.8800")), (MAR, MAY, D("1.8000"))]


def test_before_the_first_exchange_rate_there_is_no_price() -> None:
    found = converted(Rate(D("2.00")), [(MAR, D("0.90"))], currency="EUR")
    assert in_force(found, ASKED, start=JAN, end=MAY) == [Priced(JAN, MAR, None, "EUR"), Priced(MAR, MAY, D("1.8000"))]


def test_without_exchange_rate_no_less_specific_rate_takes_its_place() -> None:
    """The rate of the model is the one that is meant, in francs or not: 5 CHF for any GPU is not its price in January."""
    found = [*converted(Rate(D("2.00"), gpu_model="T4"), [(MAR, D("0.90"))], currency="EUR"), Rate(D("5"))]
    assert in_force(found, ASKED, start=JAN, end=MAY) == [Priced(JAN, MAR, None, "EUR"), Priced(MAR, MAY, D("1.8000"))]


def test_a_currency_without_any_exchange_rate_has_no_price_at_all() -> None:
    assert in_force(converted(Rate(D("2.00")), [], currency="EUR"), ASKED, start=JAN, end=MAY) == [Priced(JAN, MAY, None, "EUR")]


def test_a_rate_that_ended_before_an_exchange_rate_began_is_not_stretched() -> None:
    found = converted(Rate(D("2.00"), start=JAN, end=MAR), [(JAN, D("0.94")), (MAR, D("0.90"))], currency="EUR")
    assert [(r.start, r.end, r.price) for r in found] == [(JAN, MAR, D("1.8800"))]


def test_an_instances_price_is_converted_before_it_is_divided() -> None:
    """Two GPUs at weight 3 and four cpus at 1 make ten parts, six of them the GPUs': 10.00 × 0.90 = 9.00, 5.40 for both, 2.70 each."""
    rate = Rate(instance_price=D("10.00"), weights=Weights(gpu=D(3), cpu=D(1), memory=D(0)))
    asked = Asked("c", "", "", "on-demand", "T4", Size(2, D(4), D(16)))
    assert [p.price for p in in_force(converted(rate, [(JAN, D("0.90"))], currency="EUR"), asked, start=JAN, end=MAR)] == [D("2.70")]
