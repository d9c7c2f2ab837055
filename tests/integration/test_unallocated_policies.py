"""Who bears what nobody held: a file applied, hours collected and accounted, and the query layer's answer.

Ten o'clock: node n1 of pool gpu has 8 GPUs at 3.00; fraud holds 3 and vision 1. Four are free: 12.00 an hour.
"""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction

from finops import pipeline
from finops.apply import apply
from finops.collected_day import models
from finops.configuration.schema import parse
from finops.models import Cluster
from finops.queries import costs
from finops.scope import GROUP_KEYS, Scope, Window
from tests.cases_opencost.ground import A100, GPU, HOUR, TEN, Ground, bill, kinds, rows
from tests.fleet import commit, minutes

D = Decimal
LONG = minutes(-20, 260)
TEAMS = ("  - {name: fraud, match: {namespace: fraud}}\n  - {name: vision, match: {namespace_label: {squad: seeing}}}\n"
         "  - {name: risk, match: {namespace: risk}}\n")  # fmt: skip
OWNER = '  - {name: platform, match: {node_pool: "gpu*"}}\n  - {name: platform, department: IT, cost_center: "0471"}\n'
RATE = '  - {price: "3", currency: CHF}\n'
pytestmark = pytest.mark.django_db


def file(policy: str = "", pools: str = "", *, teams: str = TEAMS, rates: str = RATE) -> str:
    told = (f"    unallocated_policy: {policy}\n" if policy else "") + (f"    node_pools: [{pools}]\n" if pools else "")
    source = "    source: {openmetrics: {path: fleet.om}}\n    scrape_interval: 60s\n"
    return f"currency: CHF\nclusters:\n  - name: lab\n{source}{told}teams:\n{teams}rates:\n{rates}"


def applied(text: str, *, now=TEN) -> list[str]:
    changes = apply(parse(text), now=now)
    commit()
    return changes


def again(text: str, *, now) -> None:
    """The file changed, and every hour that has to be accounted again."""
    applied(text, now=now)
    pipeline.account(Cluster.objects.get())
    commit()


def ground(*, pool: str = "gpu") -> Ground:
    found = Ground().node(**{GPU: 8}, times=LONG).node_labels(karpenter_sh_nodepool=pool, times=LONG)
    found.hold("f", 3, namespace="fraud", times=LONG).hold("v", 1, namespace="vision", times=LONG)
    return found.put("kube_namespace_labels", {"namespace": "vision", "label_squad": "seeing"}, 1, LONG)


def quota(found: Ground, namespace: str, units: int, *, resource: str = "requests.nvidia.com/gpu", type: str = "hard") -> Ground:
    return found.put("kube_resourcequota", {"namespace": namespace, "resourcequota": "gpu", "resource": resource, "type": type}, units, LONG)


def moved(*group_by: str, first: int = 0, hours: int = 1) -> dict:
    """What was moved to and from each group, where anything was."""
    return {key: row.distributed_cost for key, row in rows(*group_by, first=first, hours=hours).items() if row.distributed_cost}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("keep", {}),
        ("owner", {"platform": 12, "unallocated": -12}),
        ("proportional", {"fraud": 9, "vision": 3, "unallocated": -12}),  # 12 x 3/4, 12 x 1/4
        ("even", {"fraud": 6, "vision": 6, "unallocated": -12}),
        ("quota", {"fraud": D("1.5"), "vision": 3, "risk": D("7.5"), "unallocated": -12}),  # 12 x 1/8, 2/8, 5/8
    ],
)
def test_each_policy(policy: str, expected: dict, tmp_path) -> None:
    """Risk holds nothing, and has the largest quota."""
    applied(file(policy, teams=TEAMS + OWNER))
    found = quota(quota(quota(ground(), "fraud", 1), "vision", 2), "risk", 5)
    quota(quota(found, "fraud", 4, type="used"), "fraud", 7, resource="requests.cpu").collected(tmp_path)
    assert moved("team") == expected
    answer = bill("team")
    assert {row.keys["team"]: row.cost for row in answer.rows if row.cost} == {"fraud": 9, "vision": 3, "unallocated": 12}
    assert (answer.total.cost, answer.total.distributed_cost, answer.balanced) == (24, 0, True)
    assert answer.total.capacity_gpu_hours == 8 and kinds() == []


def test_the_owners_line_has_its_department_and_nothing_else(tmp_path) -> None:
    applied(file("owner", teams=TEAMS + OWNER))
    ground().collected(tmp_path)
    (row,) = costs(Scope(Window(TEN, TEN + HOUR), GROUP_KEYS, filters={"team": ("platform",)})).rows
    assert {key: value for key, value in row.keys.items() if value} == {
        "cluster": "lab", "team": "platform", "department": "IT", "cost_center": "0471", "node_pool": "gpu"}  # fmt: skip
    assert (row.cost, row.capacity_gpu_hours, row.distributed_cost, row.unpriced_gpu_hours) == (0, 0, 12, 0)
    assert row.as_json()["cost"] == "0.0000000000" and row.as_json()["distributed_cost"] == "12.0000000000"


@pytest.mark.parametrize("key", [*GROUP_KEYS, "label:app"])
def test_every_grouping_adds_up_to_nothing_and_leaves_jobs_alone(key: str, tmp_path) -> None:
    applied(file("proportional"))
    ground().collected(tmp_path)
    answer = bill(key)
    assert sum(row.distributed_cost for row in answer.rows) == 0 and answer.balanced
    expected = {"team": {"unallocated": -12, "fraud": 9, "vision": 3}, "node": {"n1": -12, "": 12}, "capacity_type": {"on-demand": -12, "": 12}}
    assert {row.keys[key]: row.distributed_cost for row in answer.rows if row.distributed_cost} == expected.get(key, {})
    assert answer.total.cost == 24


def test_days_hold_what_their_hours_hold(tmp_path) -> None:
    """Ten to twelve by their hours, the whole day by its roll-up: 9 and 3 an hour."""
    applied(file("proportional"))
    ground().collected(tmp_path, hours=(0, 1))
    day = Window(TEN.replace(hour=0), TEN.replace(hour=0) + timedelta(days=1))
    by_day = {row.keys["team"]: row.distributed_cost for row in costs(Scope(day, ("team",), "day")).rows}
    assert by_day == moved("team", hours=2) == {"fraud": 18, "vision": 6, "unallocated": -24}
    by_hour = costs(Scope(day, ("team",), "hour")).rows
    assert [row.distributed_cost for row in by_hour if row.keys["team"] == "fraud"] == [9, 9]


def test_a_second_run_changes_nothing(tmp_path) -> None:
    applied(file("proportional"))
    row = ground().collected(tmp_path)
    first = [(each.keys, each.sums) for each in bill("team", "pod").rows]
    assert applied(file("proportional")) == []
    pipeline.account(row, start=TEN, end=TEN + HOUR)
    commit()
    assert [(each.keys, each.sums) for each in bill("team", "pod").rows] == first


def test_the_last_digits_add_up_and_a_price_may_change_inside_the_hour(tmp_path) -> None:
    """Four free GPUs for half an hour at 1.0000000001 and at 2: 2.0000000002 and 4, 6.0000000002 by 2 : 1 : 1 held."""
    rates = ('  - {price: "1.0000000001", currency: CHF, until: "2026-10-06T10:30:00Z"}\n'
             '  - {price: "2", currency: CHF, from: "2026-10-06T10:30:00Z"}\n')  # fmt: skip
    applied(file("proportional", rates=rates))
    found = Ground().node(**{GPU: 8}, times=LONG).hold("f", 2, namespace="fraud", times=LONG)
    found.hold("r", 1, namespace="risk", times=LONG).hold("x", 1, namespace="elsewhere", times=LONG).collected(tmp_path)
    half, fourth = D("3.0000000001"), D("1.5000000000")  # 3.0000000001, and 1.50000000005 twice: risk comes first
    assert moved("team") == {"fraud": half, "risk": fourth + D("1e-10"), "unassigned": fourth, "unallocated": D("-6.0000000002")}


def test_without_an_owner_it_stays_and_is_told(tmp_path) -> None:
    """The rule that names a namespace beside the pool is no owner's."""
    applied(file("owner", teams=TEAMS + '  - {name: platform, match: {node_pool: "gpu", namespace: "x"}}\n'))
    ground().collected(tmp_path)
    assert moved("team") == {} and kinds() == ["no_pool_owner"]
    assert rows("team")["unallocated"].cost == 12


@pytest.mark.parametrize("resource", ["requests.nvidia.com/mig-1g.5gb", "requests.cpu"])
def test_without_a_quota_of_the_pools_gpus_it_stays_and_is_told(resource: str, tmp_path) -> None:
    applied(file("quota"))
    quota(ground(), "fraud", 4, resource=resource).collected(tmp_path)
    assert moved("team") == {} and kinds() == ["no_quota"]


def test_quotas_of_slices_count_by_their_size(tmp_path) -> None:
    """A pool of 7 slices 1g, a seventh of a GPU each, none held: 3.00 by 2 : 4 slices, and no quota of whole GPUs counts here."""
    applied(file("quota"))
    found = Ground().node(**{"nvidia_com_mig_1g_5gb": 7}, times=LONG).slice("GPU-1", "1", "1g.5gb", times=LONG)
    quota(quota(quota(found, "fraud", 2, resource="requests.nvidia.com/mig-1g.5gb"), "risk", 4, resource="requests.nvidia.com/mig-1g.5gb"), "risk", 9)
    found.collected(tmp_path)
    assert moved("team") == {"fraud": 1, "risk": 2, "unallocated": -3}


def test_a_quota_counts_in_the_pools_that_have_such_gpus_alone(tmp_path) -> None:
    """A quota of whole GPUs bears the whole GPU of its pool, 3.00; the slices beside it have no quota."""
    applied(file("quota"))
    found = Ground().node("n1").node_labels("n1", karpenter_sh_nodepool="gpu")
    found.node("n2", **{"nvidia_com_mig_1g_5gb": 7}).node_labels("n2", karpenter_sh_nodepool="mig").slice("GPU-1", "1", "1g.5gb", node="n2")
    quota(found, "fraud", 2).collected(tmp_path)
    assert moved("node_pool", "team") == {("gpu", "fraud"): 3, ("gpu", "unallocated"): -3}
    assert kinds() == ["no_quota"]


@pytest.mark.parametrize("policy", ["proportional", "even"])
def test_a_pool_nobody_holds_stays_and_needs_no_cure(policy: str, tmp_path) -> None:
    applied(file(policy))
    Ground().node(**{GPU: 8}).collected(tmp_path)
    assert moved("team") == {} and kinds() == []
    assert rows("team")["unallocated"].distributed_cost == 0


def test_what_has_no_price_moves_nothing(tmp_path) -> None:
    applied(file("even", rates='  - {gpu_model: "Tesla T4", price: "3", currency: CHF}\n'))
    found = Ground().node("n1", **{GPU: 3}).node("n2", **{GPU: 2}).hold("f", namespace="fraud").hold("r", namespace="risk")
    for n in range(3):
        found.card(f"GPU-{n}")
    found.card("GPU-3", node="n2", model="Tesla T4").card("GPU-4", node="n2", model="Tesla T4").collected(tmp_path)
    teams = rows("team")
    assert moved("team") == {"fraud": 3, "risk": 3, "unallocated": -6}  # the T4s' two hours; the A100 left free has no price
    assert (teams["fraud"].cost, teams["fraud"].unpriced_gpu_hours, teams["unallocated"].cost) == (None, 1, 6)


def test_who_held_nothing_paid_nothing_and_comes_before_those_whose_cost_is_unknown(tmp_path) -> None:
    applied(file("owner", teams=TEAMS + OWNER, rates='  - {gpu_model: "Tesla T4", price: "3", currency: CHF}\n'))
    found = Ground().node("n1", **{GPU: 2}).node("n2", **{GPU: 2}).hold("f", namespace="fraud").hold("r", namespace="risk")
    for node, model in (("n1", A100), ("n2", "Tesla T4")):
        found.node_labels(node, karpenter_sh_nodepool="gpu")
        found.card(f"{node}-0", node=node, model=model).card(f"{node}-1", node=node, model=model)
    found.collected(tmp_path)
    assert [(row.keys["team"], row.cost) for row in bill("team").rows] == [("unallocated", 6), ("platform", 0), ("fraud", None), ("risk", None)]


def test_who_only_bears_is_no_gpu_without_a_model(tmp_path) -> None:
    """What setting prices starts from: the models there are."""
    applied(file("even"))
    ground().collected(tmp_path)
    assert [model.gpu_hours for model in models(Window(TEN, TEN + HOUR))] == [8]


def test_unpriced_hours_alone_have_no_figure(tmp_path) -> None:
    applied(file("even", rates="  []\n"))
    ground().collected(tmp_path)
    assert {row.distributed_cost for row in bill("team").rows} == {None}


def test_the_first_glob_decides_and_each_pool_is_by_itself(tmp_path) -> None:
    """gpu-a by even: 2 free, fraud and vision hold one each. gpu-b: the second entry alone would match. spot: the cluster's own policy."""
    applied(file("keep", '{name: "gpu-a", unallocated_policy: even}, {name: "gpu-*", unallocated_policy: owner}', teams=TEAMS + OWNER))
    found = Ground()
    for node, pool in (("n1", "gpu-a"), ("n2", "gpu-b"), ("n3", "spot")):
        found.node(node, **{GPU: 4}).node_labels(node, karpenter_sh_nodepool=pool)
    found.hold("f", namespace="fraud").hold("v", namespace="fraud", node="n2").hold("r", namespace="risk").collected(tmp_path)
    assert moved("node_pool", "team") == {
        ("gpu-a", "fraud"): 3, ("gpu-a", "risk"): 3, ("gpu-a", "unallocated"): -6, ("gpu-b", "platform"): 9, ("gpu-b", "unallocated"): -9,
    }  # fmt: skip


def test_the_first_policy_holds_from_the_beginning_and_a_change_from_now(tmp_path) -> None:
    """Said first at eleven, it holds at ten too. Changed at twelve thirty, the hour from twelve keeps what it began with."""
    applied(file())
    ground().collected(tmp_path, hours=(0, 1, 2, 3))
    assert moved("team", hours=4) == {}
    again(file("even"), now=TEN + HOUR)
    assert moved("team") == {"fraud": 6, "vision": 6, "unallocated": -12}
    again(file("proportional"), now=TEN + 2 * HOUR + timedelta(minutes=30))
    assert [moved("team", first=n)["fraud"] for n in range(4)] == [6, 6, 6, 9]
    again(file(), now=TEN + 3 * HOUR)
    assert [moved("team", first=n).get("fraud") for n in range(4)] == [6, 6, 6, None]


def test_a_policy_named_keep_was_said_and_what_follows_begins_when_it_is_said(tmp_path) -> None:
    applied(file("keep"))
    ground().collected(tmp_path, hours=(0, 1))
    again(file("even"), now=TEN + HOUR)
    assert [moved("team", first=n).get("fraud") for n in range(2)] == [None, 6]


def test_a_change_says_so_and_has_hours_accounted_again(tmp_path) -> None:
    applied(file("keep"))
    ground().collected(tmp_path)
    assert applied(file("keep", '{name: "gpu", unallocated_policy: even}')) == ["unallocated policy of lab: keep → keep, gpu: even"]
    with connection.cursor() as cursor:
        cursor.execute("select dirty from collection_window")
        assert cursor.fetchall() == [(True,)]


@pytest.mark.parametrize("step", ["distributed_cost = distributed_cost + 0.0000000001", "distributed_cost = null"])
def test_the_database_refuses_an_hour_that_moves_more_than_it_takes(step: str, tmp_path) -> None:
    applied(file("even"))
    ground().collected(tmp_path)
    by = r'node pool "gpu": distributed cost adds up to (0\.0000000002|-12\.0000000000), not to 0'
    with pytest.raises(DatabaseError, match=by), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"update ledger_hour set {step} where distributed_cost > 0")
        cursor.execute("update collection_window set dirty = false")
        cursor.execute("set constraints all immediate")


@pytest.mark.parametrize(
    ("step", "of"),
    [
        ("distributed_cost = -11", "distributed_cost < 0"),  # a line gives away all it has or nothing
        ("distributed_cost = 1", "allocated > 0"),  # a line that holds hours takes nothing
        ("distributed_cost = -12", "distributed_cost > 0"),
        ("price = 1, cost = 0, used_cost = 0, idle_cost = 0, starting_cost = 0, unmeasured_cost = 0, unallocated_cost = 0", "distributed_cost > 0"),
        ("distributed_cost = 'NaN'", "distributed_cost > 0"),
    ],
)
def test_the_database_refuses_a_line_that_gives_or_takes_what_it_cannot(step: str, of: str, tmp_path) -> None:
    applied(file("even"))
    ground().collected(tmp_path)
    with pytest.raises(DatabaseError, match="violates check constraint"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"update ledger_hour set {step} where {of}")
