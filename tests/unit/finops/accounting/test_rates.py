"""The price in force."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from finops.accounting.rates import Asked, Priced, Rate, in_force

D = Decimal
DAY, NOON, NEXT = (datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC))
ASKED = Asked("berlin", "gpu", "p4d.24xlarge", "spot", "NVIDIA A100-SXM4-40GB")


def price(*rates: Rate) -> list[Decimal | None]:
    return [span.price for span in in_force(rates, ASKED, start=DAY, end=NEXT)]


def test_a_change_at_noon_cuts_the_day() -> None:
    rates = [Rate(D("2.00"), end=NOON), Rate(D("3.00"), start=NOON)]
    assert in_force(rates, ASKED, start=DAY, end=NEXT) == [Priced(DAY, NOON, D("2.00")), Priced(NOON, NEXT, D("3.00"))]


def test_no_rate_is_unpriced_and_never_zero() -> None:
    assert price() == [None]
    assert price(Rate(D(1), cluster="munich")) == [None]
    assert price(Rate(D(1), start=NOON)) == [None, D(1)]
    assert price(Rate(D(1), end=NOON)) == [D(1), None]
    assert price(Rate(D(1), end=DAY)) == [None]


def test_a_price_of_zero_is_a_price() -> None:
    assert price(Rate(D(0))) == [D(0)]


@pytest.mark.parametrize("stronger", ["cluster", "node_pool", "instance_type", "capacity_type"])
def test_a_rate_that_names_more_wins(stronger: str) -> None:
    model = Rate(D(1), gpu_model="A100 SXM4 40GB")
    narrow = Rate(D(2), gpu_model="A100 SXM4 40GB", **{stronger: getattr(ASKED, stronger)})
    assert price(model, narrow) == price(narrow, model) == [D(2)]


def test_the_first_key_that_only_one_names_decides() -> None:
    assert price(Rate(D(1), cluster="berlin"), Rate(D(2), node_pool="gpu", instance_type="p4d.24xlarge", gpu_model="A100-SXM4-40GB")) == [D(1)]


def test_a_special_price_for_a_while() -> None:
    assert price(Rate(D(2)), Rate(D(1), capacity_type="spot", start=NOON)) == [D(2), D(1)]


def test_a_renewal_at_the_same_price_is_one_span() -> None:
    assert in_force([Rate(D(2), end=NOON), Rate(D(2), start=NOON)], ASKED, start=DAY, end=NEXT) == [Priced(DAY, NEXT, D(2))]


def test_models_are_compared_whatever_their_spelling() -> None:
    assert price(Rate(D(3), gpu_model="nvidia_a100_sxm4_40gb")) == [D(3)]
    assert price(Rate(D(3), gpu_model="A100-SXM4-80GB")) == [None]
    assert price(Rate(D(3), gpu_model="A100 SXM4 40GB-SHARED")) == [D(3)]
