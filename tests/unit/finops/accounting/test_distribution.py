"""What policies move: hand-worked amounts, and what holds whatever the figures are."""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.distribution import Policies, Pool, distribution, in_force, shared

D = Decimal
ONE = D("0.0000000001")
POLICIES = ("keep", "owner", "proportional", "quota", "even")
# Two lines of unallocated capacity, 12.00 together; fraud held 3 GPU-hours of the pool and vision 1; ops owns it.
POOL = Pool({"a": D("9.0000000000"), "b": D("3.0000000000")}, {"fraud": D(3), "vision": D(1)},
            {"fraud": Fraction(2), "vision": Fraction(2), "risk": Fraction(4)}, "ops")  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "taken"),
    [
        ("owner", {"ops": 12}),
        ("proportional", {"fraud": 9, "vision": 3}),  # 12 x 3/4, 12 x 1/4
        ("even", {"fraud": 6, "vision": 6}),
        ("quota", {"fraud": 3, "risk": 6, "vision": 3}),  # 12 x 2/8, 12 x 4/8
    ],
)
def test_each_policy_moves_all_there_is(policy: str, taken: dict) -> None:
    moved = distribution(POOL, policy)
    assert moved.given == {"a": -9, "b": -3}
    assert moved.taken == taken


def test_keep_moves_nothing() -> None:
    moved = distribution(POOL, "keep")
    assert (moved.given, moved.taken) == ({}, {})


@pytest.mark.parametrize("policy", POLICIES)
def test_where_nobody_could_bear_it_the_cost_stays(policy: str) -> None:
    moved = distribution(Pool({"a": D(12)}), policy)
    assert (moved.given, moved.taken) == ({}, {})


@pytest.mark.parametrize("policy", POLICIES)
def test_where_nothing_was_left_free_nothing_moves(policy: str) -> None:
    moved = distribution(Pool({"a": D(0)}, POOL.held, POOL.quota, POOL.owner), policy)
    assert (moved.given, moved.taken) == ({}, {})


def test_quotas_of_no_team_alone_move_nothing_and_beside_a_teams_take_their_part() -> None:
    assert distribution(Pool({"a": D(12)}, quota={"unassigned": Fraction(4)}), "quota").taken == {}
    both = distribution(Pool({"a": D(12)}, quota={"unassigned": Fraction(4), "fraud": Fraction(2)}), "quota")
    assert both.taken == {"fraud": 4, "unassigned": 8}


def test_a_quota_of_zero_bears_nothing() -> None:
    assert distribution(Pool({"a": D(12)}, quota={"fraud": Fraction(0)}), "quota").taken == {}
    assert distribution(Pool({"a": D(12)}, quota={"fraud": Fraction(0), "risk": Fraction(1)}), "quota").taken == {"risk": 12}


def test_a_policy_there_is_none_of_is_an_error() -> None:
    with pytest.raises(ValueError, match="no unallocated policy 'evn'"):
        distribution(POOL, "evn")


def test_the_last_digits_go_to_the_largest_remainders() -> None:
    """0.0000000010 by 1 : 1 : 1 is 3.33 digits each: one digit is left, and c, b and a are equal, so a takes it.

    By 1 : 2 : 4 it is 1.43, 2.86 and 5.71 digits: 1, 2 and 5 leave two digits, which .86 and .71 take.
    """
    assert shared(D("0.0000000010"), {"c": Fraction(1), "a": Fraction(1), "b": Fraction(1)}) == {"a": 4 * ONE, "b": 3 * ONE, "c": 3 * ONE}
    assert shared(D("0.0000000010"), {"a": Fraction(1), "b": Fraction(2), "c": Fraction(4)}) == {"a": ONE, "b": 3 * ONE, "c": 6 * ONE}


def test_who_is_left_with_nothing_has_no_amount() -> None:
    assert shared(ONE, {"a": Fraction(1), "b": Fraction(2)}) == {"b": ONE}


def test_the_first_glob_that_matches_decides() -> None:
    said = Policies("keep", (("gpu-spot*", "even"), ("gpu-*", "proportional")))
    assert [said.of(pool) for pool in ("gpu-spot-a", "gpu-a", "", "cpu")] == ["even", "proportional", "keep", "keep"]


def test_what_was_said_last_before_an_instant_holds() -> None:
    first, second = datetime(2026, 10, 6, 10, tzinfo=UTC), datetime(2026, 10, 6, 11, tzinfo=UTC)
    said = [Policies("owner"), Policies("even", start=first), Policies("keep", start=second)]
    at = [datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 10, 6, 9, 59, 59, tzinfo=UTC), first, second]
    assert [in_force(said, at=moment).policy for moment in at] == ["owner", "owner", "even", "keep"]
    assert in_force([], at=first).policy == "keep"


amounts = st.integers(0, 10**14).map(lambda digits: digits * ONE)
teams = st.sampled_from(["fraud", "vision", "risk", "ops", "unassigned"])
hours = st.integers(0, 10**12).map(lambda digits: digits * ONE)
pools = st.builds(
    Pool,
    st.dictionaries(st.sampled_from("abcd"), amounts),
    st.dictionaries(teams, hours),
    st.dictionaries(teams, st.fractions(0, 100, max_denominator=7)),
    st.sampled_from(["", "ops"]),
)


@given(pools, st.sampled_from(POLICIES))
def test_what_is_given_is_taken_whole_or_not_at_all(pool: Pool, policy: str) -> None:
    moved = distribution(pool, policy)
    assert sum(moved.given.values()) + sum(moved.taken.values()) == 0
    assert all(amount > 0 and amount % ONE == 0 for amount in moved.taken.values())
    assert moved.given in ({}, {line: -cost for line, cost in pool.free.items() if cost})


@given(pools, st.sampled_from(POLICIES), st.randoms())
def test_the_order_of_lines_and_teams_does_not_matter(pool: Pool, policy: str, chance) -> None:
    def shuffled(found: dict) -> dict:
        items = list(found.items())
        chance.shuffle(items)
        return dict(items)

    again = Pool(shuffled(pool.free), shuffled(pool.held), shuffled(pool.quota), pool.owner)
    assert distribution(again, policy) == distribution(pool, policy)


@given(pools, st.sampled_from(POLICIES))
def test_the_figures_it_is_made_from_stay_as_they_are(pool: Pool, policy: str) -> None:
    before = (dict(pool.free), dict(pool.held), dict(pool.quota))
    distribution(pool, policy)
    assert (pool.free, pool.held, pool.quota) == before


@given(pools)
def test_no_share_is_a_digit_away_from_its_proportion(pool: Pool) -> None:
    moved, whole = distribution(pool, "proportional"), sum(pool.held.values())
    cost = sum(pool.free.values())
    for team, held in pool.held.items():
        if moved.taken:
            assert abs(Fraction(moved.taken.get(team, D(0))) - Fraction(cost) * Fraction(held) / Fraction(whole)) < Fraction(ONE)
