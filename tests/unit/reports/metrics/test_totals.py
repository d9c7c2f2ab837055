"""A bound on the number of rows, and sums that stay what they were."""

from decimal import Decimal as D

from finops.queries import Row
from finops.selection import SUMS
from reports.metrics.totals import folded, named


def row(team: str, cost: str | None, hours: int = 1, pool: str = "od", model: str = "T4") -> Row:
    sums = dict.fromkeys(SUMS, D(0)) | {"capacity": D(hours), "used": D(hours), "cost": cost and D(cost), "used_cost": cost and D(cost)}
    return Row({"team": team, "node_pool": pool, "gpu_model": model}, None, None, sums, "CHF")


ALL = {"node_pool": frozenset({"od"}), "gpu_model": frozenset({"T4"})}


def test_the_dearest_keep_their_name_and_so_does_what_is_no_teams():
    """a 2 + 3, b 4, c 1, unallocated 9: of two, a and b; unallocated is no team and takes no place."""
    rows = [row("a", "2"), row("b", "4"), row("c", "1"), row("a", "3", pool="spot"), row("unallocated", "9")]
    assert named(rows, key="team", most=2) == {"a", "b", "unallocated", "unassigned"}
    assert named(rows, key="node_pool", most=1) == {"od"}


def test_hours_decide_where_nothing_has_a_price_and_names_where_hours_are_the_same():
    rows = [row("a", None, 1), row("c", None, 2), row("b", None, 1)]
    assert named(rows, key="team", most=2) >= {"c", "a"}
    assert "b" not in named(rows, key="team", most=2)


def test_the_rest_is_one_row_and_nothing_is_lost():
    """b 4 and c 1 become other: 5, with 2 h; a keeps its 2."""
    rows = folded([row("a", "2"), row("b", "4"), row("c", "1")], names=ALL | {"team": frozenset({"a"})})
    assert [(r.keys["team"], r.sums["cost"], r.sums["used"]) for r in rows] == [("a", D(2), D(1)), ("other", D(5), D(2))]


def test_a_team_called_other_is_counted_there():
    rows = folded([row("other", "2"), row("b", "4")], names=ALL | {"team": frozenset({"other"})})
    assert [(r.keys["team"], r.sums["cost"]) for r in rows] == [("other", D(6))]


def test_money_that_does_not_exist_is_no_zero():
    rows = folded([row("b", None), row("c", None)], names=ALL | {"team": frozenset()})
    assert [(r.keys["team"], r.sums["cost"], r.sums["used"]) for r in rows] == [("other", None, D(2))]
