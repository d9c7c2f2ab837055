"""What policies move, for one who sees all, one who leads fraud and one from vision: each sees what their own team bears.

Pool gpu, 8 GPUs at 3.00 for an hour: fraud holds 3, vision 1, four are free. In proportion fraud bears 9.00 and vision 3.00.
"""

from decimal import Decimal as D

import pytest

from finops.apply import apply
from finops.configuration.schema import parse
from finops.scope import GROUP_KEYS
from tests.cases_opencost.ground import GPU, TEN, Ground, price
from tests.fleet import commit

FILE = """clusters:
  - {name: lab, source: {openmetrics: {path: fleet.om}}, scrape_interval: 60s, unallocated_policy: proportional}
teams:
  - {name: fraud, match: {namespace: fraud}}
  - {name: vision, match: {namespace: vision}}
"""
BOUNDS = "start=2026-10-06T10:00Z&end=2026-10-06T11:00Z"


@pytest.fixture(autouse=True)
def hour(db, tmp_path):
    price("3")
    apply(parse(FILE), now=TEN)
    commit()
    fleet = Ground().node(**{GPU: 8}).node_labels(karpenter_sh_nodepool="gpu")
    fleet.hold("f", 3, namespace="fraud").hold("v", 1, namespace="vision").collected(tmp_path)


def costs(client, headers, more: str = "&group_by=team") -> dict:
    return client.get(f"/api/v1/costs?{BOUNDS}{more}", headers=headers).json()


def moved(answer: dict, key: str = "team") -> dict:
    return {row[key]: D(row["distributed_cost"]) for row in answer["rows"]}


def test_one_sees_all_and_it_adds_up_to_nothing(client, bearer, all_seeing):
    answer = costs(client, bearer(all_seeing, "read"))
    assert moved(answer) == {"fraud": 9, "vision": 3, "unallocated": -12}
    assert (D(answer["total"]["distributed_cost"]), D(answer["total"]["cost"]), answer["balanced"]) == (0, 24, True)


@pytest.mark.parametrize("key", GROUP_KEYS)
def test_a_team_sees_what_it_bears_and_no_other_figure(client, bearer, lead, other, key):
    """Under every key the sum is the team's own; where a key is not the team's or the pool's it is in the row without one."""
    for person, own, free in ((lead, D(9), D(3)), (other, D(3), D(1))):
        answer = costs(client, bearer(person, "read"), f"&group_by={key}")
        assert sum(moved(answer, key).values()) == D(answer["total"]["distributed_cost"]) == own
        assert {row["unallocated_cost"] for row in answer["rows"]} == {"0.0000000000"}
        assert D(answer["total"]["capacity_gpu_hours"]) == free
        named = {"cluster": "lab", "team": "fraud" if person == lead else "vision", "node_pool": "gpu"}
        assert {value for value, amount in moved(answer, key).items() if amount} == {named.get(key, "")}


@pytest.mark.parametrize("more", ["&group_by=team&team=vision", "&group_by=node&node=n1", "&group_by=team&exclude.team=fraud", "&team=unallocated"])
def test_no_question_shows_a_team_anothers(client, bearer, lead, more):
    answer = costs(client, bearer(lead, "read"), more)
    assert D(answer["total"]["distributed_cost"] or 0) == 0
    assert all(D(row["distributed_cost"]) == 0 for row in answer["rows"])


def test_a_page_has_no_line_that_only_bears(client, lead):
    client.force_login(lead)
    page = client.get(f"/?{BOUNDS}&by=job").content.decode()
    assert "fraud/f" in page and "Unallocated" not in page
