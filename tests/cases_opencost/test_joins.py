"""Series that name pods, nodes, labels and models in more than one way."""

from decimal import Decimal

import pytest
from django.db import connection

from finops.accounting.rates import Asked, Rate
from tests.cases_opencost.ground import A100, GPU, T4, Ground, bill, kinds, price, rows, rule
from tests.fleet import minutes

D = Decimal
BUSY = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
pytestmark = pytest.mark.django_db


def by_uid() -> dict[str, tuple[float, float]]:
    """Measured and busy seconds of each pod object."""
    with connection.cursor() as cursor:
        cursor.execute("select uid, sum(measured_seconds), sum(busy_seconds) from use_quarter group by 1")
        return {uid: (measured, round(busy, 6)) for uid, measured, busy in cursor.fetchall()}


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"pod": "train-0", "namespace": "ml"}, id="OC-29 honoured"),
        pytest.param({"exported_pod": "train-0", "exported_namespace": "ml", "pod": "x", "namespace": "gpu-operator"}, id="OC-29 exported"),
        pytest.param({"exported_pod": "train-0", "exported_namespace": "ml", "pod": "dcgm-exporter-x", "namespace": "ml"}, id="OC-30"),
    ],
)
def test_use_is_the_workloads_however_it_is_labelled(labels: dict[str, str], tmp_path) -> None:
    fleet = Ground().node(**{GPU: 2}).hold("train-0").hold("other")
    fleet.put(BUSY, {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100} | labels, 0.6)
    fleet.put(BUSY, {"UUID": "GPU-2", "Hostname": "n1", "modelName": A100} | labels | {key: "other" for key in labels if labels[key] == "train-0"}, 0.1)
    fleet.collected(tmp_path)
    assert {pod: row.used_gpu_hours for pod, row in rows("pod").items()} == {"train-0": D("0.6"), "other": D("0.1")}


def test_both_spellings_of_the_host_name_lead_to_the_node(tmp_path) -> None:  # OC-31
    fleet = Ground().node("n1").node("n2").hold("a").hold("b", node="n2")
    for node, spelling, pod in (("n1", "Hostname", "a"), ("n2", "hostname", "b")):
        fleet.put(BUSY, {"UUID": f"GPU-{node}", spelling: node, "modelName": A100, "exported_pod": pod, "exported_namespace": "ml"}, 0.5)
    fleet.collected(tmp_path)
    assert {node: (row.used_gpu_hours, row.coverage) for node, row in rows("node").items()} == {"n1": (D("0.5"), 1.0), "n2": (D("0.5"), 1.0)}


def test_a_short_host_name_is_the_gpu_nodes(tmp_path) -> None:  # OC-31
    fleet = Ground().node("n1.gpu.local").hold("a", node="n1.gpu.local").card("GPU-1", node="n1")
    for other in ("n1.a.local", "n1.cpu.local", "n1.z.local"):
        fleet.put("kube_node_created", {"node": other}, 1).put("kube_node_info", {"node": other}, 1)
        fleet.node_labels(other, kubernetes_io_hostname=other)
    fleet.collected(tmp_path)
    assert {node: (row.capacity_gpu_hours, row.used_gpu_hours) for node, row in rows("node").items()} == {"n1.gpu.local": (1, D("0.5"))}


def test_series_without_a_uid_are_joined_by_name_and_time(tmp_path) -> None:  # OC-32
    fleet = Ground().node().hold("train-0", uid="first", times=minutes(-20, 30), completed=1800, phase="Succeeded")
    fleet.hold("train-0", uid="second", times=minutes(30, 140))
    fleet.card("GPU-1", "train-0", busy=1.0, times=minutes(-20, 30)).card("GPU-1", "train-0", busy=0.2, times=minutes(30, 140))
    fleet.collected(tmp_path)
    assert {row.used_gpu_hours for row in bill("pod").rows} == {D("0.6")}
    assert by_uid() == {"first": (1800, 1800), "second": (1800, 360)}


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        pytest.param("cost-center", "cost_center", id="OC-33"),
        pytest.param("app.kubernetes.io/name", "app_kubernetes_io_name", id="OC-34"),
        pytest.param("a.b/c", "a_b_c", id="OC-36"),
    ],
)
def test_a_label_is_found_by_the_name_users_gave_it(name: str, spelt: str, tmp_path) -> None:
    price("1.32")
    rule(label=name)
    Ground().node().hold("a").put("kube_pod_labels", {"namespace": "ml", "pod": "a", "uid": "uid-ml-a", f"label_{spelt}": "risk"}, 1).collected(tmp_path)
    assert rows("team")["risk"].cost == D("1.32")
    assert rows("cluster", f"label:{name}")["lab", "risk"].cost == D("1.32")


def test_two_labels_that_are_spelt_alike_are_never_one(tmp_path) -> None:  # OC-35
    rule(label="team-a")
    told = {"label_team_a_conflict1": "risk", "label_team_a_conflict2": "fraud"}
    Ground().node().hold("a").put("kube_pod_labels", {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"} | told, 1).collected(tmp_path)
    assert set(rows("team")) == {"unassigned"}
    assert set(rows("label:team_a_conflict1", "label:team_a_conflict2")) == {("risk", "fraud")}


def test_what_nobody_holds_is_each_nodes_own(tmp_path) -> None:  # OC-37
    Ground().node("n1", **{GPU: 2}).node("n2", **{GPU: 4}).hold("a").hold("b", node="n2").collected(tmp_path)
    assert {node: row.unallocated_gpu_hours for node, row in rows("node").items()} == {"n1": 1, "n2": 3}
    assert rows("team", "node")["unallocated", "n2"].capacity_gpu_hours == 3


@pytest.mark.parametrize(
    ("given", "seen"),
    [pytest.param("NVIDIA A30-24GB", "NVIDIA A30 24GB", id="OC-39"), pytest.param("nvidia_a30_24gb", "NVIDIA-A30-24GB-SHARED", id="OC-39 shared")],
)
def test_punctuation_makes_no_other_model(given: str, seen: str) -> None:
    assert Rate(D(2), gpu_model=given).matches(Asked("c", "", "", "", seen))


def test_a_model_without_a_rate_keeps_its_hours_and_has_no_cost(tmp_path) -> None:  # OC-40
    price("3", gpu_model=A100)
    fleet = Ground().node("n1").node("n2").hold("a").hold("b", node="n2").card("GPU-1", "a").card("GPU-2", "b", model=T4, node="n2")
    fleet.collected(tmp_path)
    found = rows("gpu_model")
    assert (found[A100].cost, found[A100].sums["unpriced"]) == (3, 0)
    assert (found[T4].cost, found[T4].allocated_gpu_hours, found[T4].sums["unpriced"], found[T4].cost_per_allocated_gpu_hour) == (None, 1, 1, None)
    assert kinds() == ["unpriced"]
