"""The same hours asked of the ledger and of a slow, obvious accountant written apart from it.

`ACCOUNTANT_EXAMPLES=1000` looks at that many worlds, at random, instead of a few dozen that are always the same.
A world that fails is printed as it was drawn, not made smaller: that takes minutes.
"""

import os
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.verification import product
from tests.verification.accountant import Accountant
from tests.verification.rules import Case, cases
from tests.verification.told import Figures, Told

MANY = int(os.environ.get("ACCOUNTANT_EXAMPLES", "0"))
BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")
# Each line may be one unit off by the division among leases and one by that among its buckets, which are measured to the microsecond;
# money is hours as they were rounded × a price of at most ten.
UNIT, DEAREST = Fraction(2, 10**10), 10


def bounded(examples: int) -> settings:
    """As many worlds, always the same ones; as the environment says, at random."""
    return settings(
        max_examples=MANY or examples, derandomize=not MANY, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
    )  # fmt: skip


pytestmark = pytest.mark.django_db


def compare(told: Told) -> None:
    """Every hour, team, job, pod, node and pool, within the rounding of its lines."""
    expected, found = Accountant(told).bill(), product.answered(told)
    problems = []
    for key in sorted(expected.keys() | found.keys()):
        row, figures = found.get(key), expected.get(key, Figures())
        for bucket in BUCKETS:
            pairs = [("hours", figures.hours.get(bucket), row and row.hours(bucket))]
            pairs += [("cost", figures.costs.get(bucket), row and row.sums[f"{bucket}_cost"])]
            for what, wanted, got in pairs:
                if abs(Fraction(got or 0) - (wanted or 0)) > UNIT * (figures.lines + 2) * (DEAREST if what == "cost" else 1):
                    problems.append(f"{key[0]:%H:%M} {' '.join(key[1:])}: {bucket} {what} {got} instead of {float(wanted or 0):.10f}")
    assert not problems, "\n" + "\n".join(problems)


@bounded(25)
@given(case=cases())
def test_the_ledger_says_what_the_accountant_says(case: Case, db) -> None:
    told = case.told()
    with product.example():
        product.configure(told)
        product.collected(told)
        compare(told)
