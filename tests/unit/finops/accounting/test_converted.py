"""Rates in another currency follow the dated exchange rate."""

from datetime import UTC, datetime
from decimal import Decimal

from finops.accounting.rates import Asked, Rate, converted, in_force

JAN, MAR, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 3, 5))
ASKED = Asked("c", "", "", "on-demand", "T4")


def test_each_span_has_its_own_exchange_rate() -> None:
    found = converted(Rate(Decimal("2.00"), gpu_model="T4"), [(JAN, Decimal("0.94")), (MAR, Decimal("0.90"))])
    prices = in_force(found, ASKED, start=JAN, end=MAY)
    assert [(p.start, p.end, p.price) for p in prices] == [(JAN, MAR, Decimal("1.8800")), (MAR, MAY, Decimal("1.8000"))]


def test_before_the_first_exchange_rate_there_is_no_price() -> None:
    found = converted(Rate(Decimal("2.00")), [(MAR, Decimal("0.90"))])
    assert [p.price for p in in_force(found, ASKED, start=JAN, end=MAY)] == [None, Decimal("1.8000")]


def test_a_rate_that_ended_before_an_exchange_rate_began_is_not_stretched() -> None:
    found = converted(Rate(Decimal("2.00"), start=JAN, end=MAR), [(JAN, Decimal("0.94")), (MAR, Decimal("0.90"))])
    assert [(r.start, r.end, r.price) for r in found] == [(JAN, MAR, Decimal("1.8800"))]
