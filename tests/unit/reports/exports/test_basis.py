"""Every hour is charged once, whatever the basis."""

from decimal import Decimal as D

import pytest

from reports.exports.basis import BASES, HELD, charged, left


@pytest.mark.parametrize("basis", BASES)
def test_what_the_team_does_not_pay_the_account_takes(basis: str) -> None:
    assert {name: charged(basis)[name] + left(basis)[name] for name in HELD} == dict.fromkeys(HELD, 1)


def test_a_day_by_hand() -> None:
    """4 used, 6 idle, 1 starting, 2 unmeasured: 13 allocated; 4 used; 4 + 3 + 1 + 2 = 10 hybrid."""
    hours = dict(zip(HELD, (4, 6, 1, 2), strict=True))
    assert {basis: sum(hours[name] * share for name, share in charged(basis).items()) for basis in BASES} == {
        "allocated": D(13), "used": D(4), "hybrid": D(10),
    }  # fmt: skip
