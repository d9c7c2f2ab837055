"""A team keeps its colour, whoever is shown beside it."""

from reports.charts import colours
from reports.models import TeamColour


def test_order_of_first_sight_is_kept(db):
    TeamColour.remembered(["fraud", "vision"])
    again = colours(TeamColour.remembered(["claims", "vision"]))
    assert [again[team] for team in ("fraud", "vision", "claims")] == ["team-1", "team-2", "team-3"]


def test_the_eleventh_is_other():
    tokens = colours([f"t{i}" for i in range(11)])
    assert (tokens["t9"], tokens["t10"], tokens["unallocated"]) == ("team-10", "team-other", "unallocated")
