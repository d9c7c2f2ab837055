"""Amounts that add up."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.money import display, split, stored

D = Decimal


def test_stored_is_ten_decimals_half_to_even() -> None:
    assert stored(D("0.00000000005")) == D("0.0000000000")
    assert stored(D("0.00000000015")) == D("0.0000000002")
    assert str(stored(D("2.5"))) == "2.5000000000"


def test_a_price_after_discount() -> None:
    assert stored(D("2.00") * D("0.70")) == D("1.40")


def test_thirds_add_up_and_the_first_takes_the_rest() -> None:
    third = D(1) / D(3)
    assert split(D(1), [third] * 3) == [D("0.3333333334"), D("0.3333333333"), D("0.3333333333")]


def test_the_largest_remainder_takes_the_rest() -> None:
    parts = [D("0.11111111112"), D("0.22222222229"), D("0.66666666659")]
    assert split(D("1.0000000000"), parts) == [D("0.1111111111"), D("0.2222222223"), D("0.6666666666")]


@pytest.mark.parametrize(("total", "parts"), [("1", ["0.5", "0.4"]), ("1", ["0.7", "0.4"]), ("1", [])])
def test_a_difference_that_is_no_rounding_is_refused(total: str, parts: list[str]) -> None:
    with pytest.raises(ValueError, match="do not make the whole"):
        split(D(total), [D(p) for p in parts])


def test_nothing_splits_into_nothing() -> None:
    assert split(D(0), []) == []
    assert split(D(0), [D(0), D(0)]) == [D(0), D(0)]


def test_display_has_no_exponent_and_missing_stays_missing() -> None:
    assert display(D("1E-10")) == "0.0000000001"
    assert display(D("0E-10")) == "0.0000000000"
    assert display(None) is None


@given(st.lists(st.decimals(0, 10**6, places=25), min_size=1, max_size=30))
def test_parts_always_add_up_and_none_moves_by_a_quantum(parts: list[Decimal]) -> None:
    total = stored(sum(parts, D(0)))
    rounded = split(total, parts)
    assert sum(rounded) == total
    assert all(abs(a - b) < D("1e-10") for a, b in zip(rounded, parts, strict=True))
