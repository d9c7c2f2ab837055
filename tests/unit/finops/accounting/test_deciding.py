"""Which rate and which rule decide: the explanation's questions to the rules the ledger is made by."""

from datetime import UTC, datetime
from decimal import Decimal

from finops.accounting import ownership, rates
from finops.accounting.ownership import Claim, Rule
from finops.accounting.rates import Asked, Rate

NOON = datetime(2026, 10, 6, 12, tzinfo=UTC)
LATER = datetime(2026, 10, 6, 13, tzinfo=UTC)
ASKED = Asked("lab", "pool", "", "spot", "Tesla T4")


def test_the_rate_is_the_one_whose_price_is_in_force() -> None:
    any_gpu, spot, other = Rate(Decimal(1)), Rate(Decimal(2), capacity_type="spot", end=LATER), Rate(Decimal(9), cluster="far")
    assert rates.most_specific([any_gpu, spot, other], ASKED, at=NOON) is spot
    assert rates.most_specific([any_gpu, spot, other], ASKED, at=LATER) is any_gpu
    assert rates.most_specific([other], ASKED, at=NOON) is None


def test_the_first_rule_that_holds_and_what_it_gives() -> None:
    label, rest = Rule("from_pod_label", label="team", end=LATER), Rule("match", "rest", match={"namespace": "m*"})
    claim = Claim("ml", {"team": "unallocated"}, {}, {}, "", "")
    assert ownership.deciding(claim, [label, rest], at=NOON) == (label, "unallocated")
    assert ownership.deciding(claim, [label, rest], at=LATER) == (rest, "rest")
    assert ownership.deciding(Claim("x", {}, {}, {}, "", ""), [label, rest], at=NOON) is None
