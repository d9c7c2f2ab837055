"""Every GPU-hour that was paid for is on one line, once."""

from decimal import Decimal

import pytest

from finops import pipeline
from finops.models import Cluster
from finops.queries import costs
from finops.scope import Scope, Window
from tests.cases_opencost.ground import A100, GPU, HOUR, PER_DAY, TEN, Ground, bill, cluster, kinds, price, rows, rule
from tests.fleet import minutes

D = Decimal
BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")
pytestmark = pytest.mark.django_db


def test_leases_above_the_node_are_scaled_and_told(tmp_path) -> None:  # OC-60
    price("3")
    rule(label="", kind="match", name="ml", match={"namespace": "ml"})
    Ground().node(**{GPU: 3}).hold("a", 2).hold("b", 2).collected(tmp_path)
    assert {pod: row.cost for pod, row in rows("pod").items()} == {"a": D("4.5"), "b": D("4.5")}
    total = bill().total
    assert (total.capacity_gpu_hours, total.unallocated_gpu_hours, total.cost) == (3, 0, 9)  # the node's bill, no line below zero
    assert kinds() == ["over_committed"]


def test_teams_nobody_and_unpriced_make_the_capacity(tmp_path) -> None:  # OC-60
    price("3", gpu_model=A100)
    fleet = Ground().node("n1", **{GPU: 3}).node("n2").hold("a", 2).card("GPU-1", "a").card("GPU-2", "a").card("GPU-3")
    fleet.card("GPU-4", model="Tesla T4", node="n2").collected(tmp_path)
    found = rows("team")
    assert (found["unassigned"].cost, found["unallocated"].cost, found["unallocated"].sums["unpriced"]) == (6, 3, 1)
    assert (bill().total.cost, bill().total.capacity_gpu_hours) == (9, 4)


@pytest.mark.parametrize(
    ("boards", "amount", "held"),
    [pytest.param(9, "3", 0, id="OC-61"), pytest.param(8, "3", 3, id="OC-62"), pytest.param(8, "3", 0, id="OC-102 nothing held")],
)
def test_what_nobody_holds_stays_on_its_line(boards: int, amount: str, held: int, tmp_path) -> None:
    price(amount)
    fleet = Ground().node(**{GPU: boards})
    if held:
        fleet.hold("a", held)
    fleet.collected(tmp_path)
    assert rows("team")["unallocated"].cost == (boards - held) * 3
    assert bill().total.unallocated_gpu_hours == boards - held


def test_a_pool_nobody_used_is_named_with_its_hours(tmp_path) -> None:  # OC-63, OC-63b, OC-97
    price("3")
    cluster(interval=300)
    fleet = Ground().node(**{GPU: 8}, times=PER_DAY).node_labels(karpenter_sh_nodepool="team-a", times=PER_DAY)
    fleet.collected(tmp_path, hours=range(24))
    (row,) = bill("team", "node_pool", "node", hours=24).rows
    assert row.keys == {"team": "unallocated", "node_pool": "team-a", "node": "n1"}
    assert (row.unallocated_gpu_hours, row.unallocated_cost, row.cost) == (192, 576, 576)


def test_nothing_unallocated_is_pushed_on_the_one_pod_there_is(tmp_path) -> None:  # OC-63b
    price("3")
    Ground().node(**{GPU: 8}).hold("notebook").collected(tmp_path)
    assert {pod: (row.cost, row.distributed_cost) for pod, row in rows("pod").items()} == {"notebook": (3, 0), "": (21, 0)}


@pytest.mark.parametrize("keys", [("node",), ("cluster",), ("team", "node"), ()])
def test_every_grouping_has_the_same_total(keys: tuple[str, ...], tmp_path) -> None:  # OC-64
    price("1")
    Ground().node("n1", **{GPU: 4}).node("n2", **{GPU: 8}).hold("a", 3).hold("b", 2, node="n2").collected(tmp_path)
    answer = bill(*keys)
    assert sum(row.unallocated_gpu_hours for row in answer.rows) == 7 and sum(row.cost for row in answer.rows) == 12
    assert answer.balanced


@pytest.mark.parametrize("gone", [pytest.param(0, id="OC-65"), pytest.param(-15, id="OC-65 earlier")])
def test_a_node_that_left_costs_nothing_whatever_its_exporter_repeats(gone: int, tmp_path) -> None:
    times = minutes(-80, gone)
    fleet = Ground().node(times=times).node("n2").put("kube_node_info", {"node": "n1", "system_uuid": "m"}, 1, times)
    fleet.card("GPU-1", times=minutes(-80, 6)).collected(tmp_path, hours=(-1, 0))
    assert set(rows("node")) == {"n2"}
    # The last scrape that saw it, and half an interval.
    assert float(rows("node", first=-1)["n1"].capacity_gpu_hours) == pytest.approx(1 + gone / 60 - 30 / 3600, abs=1e-9)


@pytest.mark.parametrize(
    ("copy", "late"),
    [
        pytest.param('instance="b"', 0, id="OC-66 second server"),
        pytest.param('job="again",prometheus_replica="b"', 0, id="OC-66 HA pair"),
        pytest.param('prometheus_replica="b"', 17, id="OC-66 HA pair out of step"),
    ],
)
@pytest.mark.parametrize("interval", [None, 60])
def test_everything_told_twice_counts_once(copy: str, late: int, interval: int | None, tmp_path) -> None:
    price("2")
    cluster(interval=interval)
    fleet = Ground().node().hold("a").card("GPU-1", "a", busy=0.5)
    for name, rest in [line.split("{", 1) for line in fleet.lines]:
        series, at = rest.rsplit(" ", 1)
        fleet.lines.append(f"{name}{{{copy},{series} {int(at) + late}")
    fleet.collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.used_gpu_hours, total.capacity_gpu_hours, total.cost) == (1, D("0.5"), 1, 2)


def renamed(lines: list[str]) -> list[str]:
    """The series of pods as a scraper stores them that puts the labels of kube-state-metrics' own pod in their place."""
    found = []
    for name, rest in (line.split("{", 1) for line in lines if line.startswith("kube_pod")):
        for own in ("namespace", "pod", "container"):
            rest = rest.replace(f'{own}="', f'exported_{own}="')
        found.append(f'{name}{{namespace="monitoring",pod="ksm-0",container="ksm",instance="b",{rest}')
    return found


@pytest.mark.parametrize("twice", [pytest.param(True, id="OC-66 second in the scraper's namespace"), pytest.param(False, id="OC-66 that one alone")])
def test_pods_are_themselves_under_exported_labels_too(twice: bool, tmp_path) -> None:
    rule(label="", kind="match", name="ml", match={"namespace": "ml"})
    who = {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"}
    fleet = Ground().node(**{GPU: 4}).hold("a", 2).hold("b")
    fleet.put("kube_pod_container_resource_requests", who | {"container": "second", "node": "n1", "resource": GPU}, 1)
    fleet.lines = [line for line in fleet.lines if twice or not line.startswith("kube_pod")] + renamed(fleet.lines)
    fleet.card("GPU-1", "a", busy=0.5).collected(tmp_path)
    held = {keys: row.allocated_gpu_hours for keys, row in rows("team", "namespace", "pod").items()}
    assert held == {("ml", "ml", "a"): 3, ("ml", "ml", "b"): 1}


@pytest.mark.parametrize("step", [pytest.param(15, id="OC-67 15 s"), pytest.param(30, id="OC-67 30 s"), pytest.param(60, id="OC-67 60 s")])
@pytest.mark.parametrize("configured", [None, "step"])
def test_hours_do_not_hang_on_the_scrape_interval(step: int, configured: str | None, tmp_path) -> None:
    cluster(interval=step if configured else None)
    whole, part = range(-1200, 8400, step), range(0, 1800, step)
    fleet = Ground().node(times=whole).hold("a", times=part).card("GPU-1", "a", busy=0.5, times=part)
    fleet.hold("a", times=range(1800, 3000, step), bound=0, completed=1800, phase="Succeeded").collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.used_gpu_hours, total.unmeasured_gpu_hours) == (D("0.5"), D("0.25"), 0)


def test_a_namespace_of_two_clusters_is_two(tmp_path) -> None:  # OC-70
    for name, amount in (("c1", "10"), ("c2", "20")):
        price(amount, cluster=name)
        Ground().node().hold("a", uid="same").collected(tmp_path, cluster=name)
    window = Window(TEN, TEN + HOUR)
    assert costs(Scope(window, ("namespace",), filters={"cluster": ("c1",), "namespace": ("ml",)})).total.cost == 10
    assert {row.keys["cluster"]: row.cost for row in bill("cluster", "namespace").rows} == {"c1": 10, "c2": 20}


def test_a_pod_two_rules_match_counts_once(tmp_path) -> None:  # OC-71
    price("2")
    rule(0, label="team"), rule(1, "match", name="vision", match={"namespace": "ml"}), rule(2, "match", name="risk", match={"namespace": "*"})
    Ground().node().hold("a").put("kube_pod_labels", {"namespace": "ml", "pod": "a", "uid": "uid-ml-a", "label_team": "fraud"}, 1).collected(tmp_path)
    assert {team: row.cost for team, row in rows("team").items()} == {"fraud": 2}


def test_no_figure_is_ever_below_zero(tmp_path) -> None:  # OC-72
    price("2")
    fleet = Ground().node(**{GPU: 2}, times=minutes(-20, 200)).hold("a", times=minutes(-20, 70)).hold("b", 2, times=minutes(65, 200), started=9e9)
    fleet.card("GPU-1", "a", times=minutes(-20, 70)).collected(tmp_path, hours=(0, 1, 2))
    found = [row for hour in range(3) for row in bill("namespace", "pod", "team", first=hour).rows]
    assert found and all(row.sums[name] >= 0 for row in found for name in (*BUCKETS, "allocated", "capacity", "cost", *(f"{b}_cost" for b in BUCKETS)))
    assert "a" not in rows("pod", first=2)  # who held nothing in an hour has no row of it


def test_ratios_of_nothing_do_not_exist(tmp_path) -> None:  # OC-74
    price("2")
    Ground().node().collected(tmp_path)
    total = bill().total
    assert (total.unallocated_cost, total.cost) == (2, 2)
    assert (total.efficiency, total.coverage, total.cost_per_used_gpu_hour, total.cost_per_allocated_gpu_hour) == (None, None, None, None)


@pytest.mark.parametrize("told", [pytest.param(False, id="OC-75 absent"), pytest.param(True, id="OC-75 zero")])
def test_boards_of_a_node_whose_plugin_is_gone_are_paid_for(told: bool, tmp_path) -> None:
    price("2")
    fleet = Ground().node("n1").put("kube_node_created", {"node": "n2"}, TEN.timestamp() - 86400)
    if told:
        fleet.put("kube_node_status_capacity", {"node": "n2", "resource": GPU, "unit": "integer"}, 0)
    for n in range(2):
        fleet.card(f"GPU-{n}", node="n2", busy=0.0)
    fleet.collected(tmp_path)
    found = rows("node")["n2"]
    assert (found.unallocated_gpu_hours, found.unallocated_cost, found.cost) == (2, 4, 4)
    assert kinds() == ["no_capacity"]


def test_a_gpu_given_by_a_claim_is_nobodys_and_told(tmp_path) -> None:  # OC-32
    """Dynamic resource allocation: no request, no capacity; the board and the pod its series name are all there is."""
    price("2")
    fleet = Ground().put("kube_node_created", {"node": "n1"}, TEN.timestamp() - 86400)
    fleet.put("kube_pod_info", {"namespace": "ml", "pod": "a", "uid": "u", "node": "n1"}, 1).card("GPU-1", "a", busy=0.9).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.unallocated_gpu_hours, total.cost) == (0, 1, 2)
    assert kinds() == ["no_capacity"]


def test_a_pod_on_a_node_whose_plugin_is_gone_is_charged(tmp_path) -> None:  # OC-75
    price("2")
    fleet = Ground().put("kube_node_created", {"node": "n1"}, TEN.timestamp() - 86400).hold("a").card("GPU-1", "a").card("GPU-2")
    fleet.collected(tmp_path)
    assert {pod: (row.cost, row.used_gpu_hours) for pod, row in rows("pod").items()} == {"a": (2, D("0.5")), "": (2, 0)}


def test_a_node_of_two_models_counts_each_board_once(tmp_path) -> None:  # OC-98
    price("3.00", gpu_model=A100), price("0.50", gpu_model="Tesla T4")
    cluster(interval=300)
    fleet = Ground().node(**{GPU: 2}, times=PER_DAY).hold("a", times=PER_DAY).hold("b", times=PER_DAY)
    fleet.card("GPU-1", "a", times=PER_DAY).card("GPU-2", "b", model="Tesla T4", times=PER_DAY).collected(tmp_path, hours=range(24))
    total = bill(hours=24).total
    assert (total.unallocated_gpu_hours, total.cost) == (0, D("84.00"))
    assert {pod: row.cost for pod, row in rows("pod", hours=24).items()} == {"a": 72, "b": 12}


def test_free_boards_of_two_models_are_a_sum(tmp_path) -> None:  # OC-99
    price("10", gpu_model=A100), price("4", gpu_model="Tesla T4")
    fleet = Ground().node(**{GPU: 4}).hold("a").hold("b").card("GPU-1", "a").card("GPU-2", "b", model="Tesla T4")
    fleet.card("GPU-3").card("GPU-4", model="Tesla T4").collected(tmp_path)
    assert rows("team")["unallocated"].cost == 14


def test_a_second_run_changes_nothing(tmp_path) -> None:  # OC-94, OC-95
    price("2")
    fleet = Ground().node(**{GPU: 2}).hold("a").card("GPU-1", "a")
    fleet.collected(tmp_path)
    first = [row.sums for row in bill("pod", "team").rows]
    fleet.collected(tmp_path)
    pipeline.account(Cluster.objects.get(), start=TEN, end=TEN + HOUR)
    assert [row.sums for row in bill("pod", "team").rows] == first and len(first) == 2


def test_held_hours_stay_what_was_held(tmp_path) -> None:  # OC-102
    price("2")
    Ground().node(**{GPU: 8}).hold("a").collected(tmp_path)
    held, free = rows("pod")["a"], rows("pod")[""]
    assert (held.allocated_gpu_hours, held.capacity_gpu_hours, held.cost) == (1, 1, 2)
    assert (free.allocated_gpu_hours, free.unallocated_gpu_hours) == (0, 7)
