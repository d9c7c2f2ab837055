"""What a series says, and what is made of it."""

from decimal import Decimal
from itertools import chain

import pytest
from django.db import connection

from finops.queries import costs
from finops.scope import Scope, Window
from tests.cases_opencost.ground import A100, GPU, HOUR, TEN, WHOLE, Ground, bill, kinds, price, rows, rule
from tests.fleet import minutes

D = Decimal
UTIL, PROFILING = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
pytestmark = pytest.mark.django_db


def uses(columns: str) -> list[tuple]:
    """What was stored of each device in its quarters."""
    with connection.cursor() as cursor:
        cursor.execute(f"select {columns} from use_quarter group by 1 order by 1")
        return cursor.fetchall()


@pytest.mark.parametrize(("included", "excluded", "right"), [pytest.param(("fraud",), ("n2",), {"n1"}, id="OC-92"), pytest.param(("fraud",), (), {"n1", "n2"}, id="OC-92 include alone")])
def test_what_is_included_without_what_is_excluded(included, excluded, right, tmp_path) -> None:
    rule(label="", kind="match", name="fraud", match={"namespace": "ml"})
    Ground().node("n1").node("n2").node("n3").hold("a").hold("b", node="n2").hold("c", node="n3", namespace="web").collected(tmp_path)
    scope = Scope(Window(TEN, TEN + HOUR), ("node",), filters={"team": included}, excludes={"node": excluded} if excluded else {})
    assert {row.keys["node"] for row in costs(scope).rows} == right


def test_two_keys_are_sorted_by_cost(tmp_path) -> None:  # OC-91
    price("2")
    Ground().node(**{GPU: 8}).hold("a").hold("b", 3).hold("c", 2, namespace="web").collected(tmp_path)
    found = [(row.keys["namespace"], row.keys["pod"], row.cost) for row in bill("namespace", "pod").rows]
    assert found == [("ml", "b", 6), ("", "", 4), ("web", "c", 4), ("ml", "a", 2)]


def test_a_pod_that_ended_is_not_kept_alive_by_its_namesake(tmp_path) -> None:  # OC-100
    fleet = Ground().node(**{GPU: 2}).hold("train-0", namespace="team-b")
    fleet.hold("train-0", namespace="team-a", times=minutes(-20, 30))
    fleet.hold("train-0", namespace="team-a", times=minutes(30, 140), bound=-1200, completed=1800, phase="Succeeded")
    fleet.collected(tmp_path, hours=(0, 1))
    assert {name: row.allocated_gpu_hours for name, row in rows("namespace", hours=2).items() if name} == {"team-a": D("0.5"), "team-b": 2}
    assert "team-a" not in rows("namespace", first=1)


def test_another_tools_series_on_one_pod_hide_no_other(tmp_path) -> None:  # OC-101
    fleet = Ground().node(**{GPU: 10}).put("container_gpu_allocation", {"namespace": "ml", "pod": "p0", "container": "main", "node": "n1"}, 1)
    for n in range(10):
        fleet.hold(f"p{n}")
    fleet.collected(tmp_path)
    assert len(rows("pod")) == 10 and bill().total.allocated_gpu_hours == 10


def test_both_devices_of_a_pod_are_known(tmp_path) -> None:  # OC-103
    Ground().node(**{GPU: 2}).hold("a", 2).card("GPU-0", "a", busy=0.25).card("GPU-1", "a", busy=0.75).collected(tmp_path)
    assert uses("uuid, round(sum(busy_seconds))") == [("GPU-0", 900), ("GPU-1", 2700)]
    assert bill().total.used_gpu_hours == 1


@pytest.mark.parametrize("blank", [pytest.param(9223372036854775794, id="OC-104"), pytest.param(9223372036854775794.0 / 100, id="OC-104 scaled")])
def test_a_blank_marker_is_dropped_and_counted(blank: float, tmp_path) -> None:
    who = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
    fleet = Ground().node().hold("a").put(PROFILING, who, 0.5, [t for t in WHOLE if t != 1800]).put(PROFILING, who, blank, [1800])
    fleet.collected(tmp_path)
    total = bill().total
    assert (total.used_gpu_hours, total.coverage) == (D("0.5"), 1.0)
    assert uses("uuid, sum(rejected), sum(samples)") == [("GPU-1", 1, 59)]
    assert "rejected_samples" not in kinds()  # one is the odd blank marker; ten of an hour are a finding


def test_many_blank_markers_are_unmeasured_and_a_finding(tmp_path) -> None:  # OC-104
    who = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
    fleet = Ground().node().hold("a").put(PROFILING, who, 0.5, chain(minutes(-20, 30), minutes(50, 140)))
    fleet.put(PROFILING, who, 9223372036854775794, minutes(30, 50)).collected(tmp_path)
    total = bill().total
    # From a minute and a half after 10:29 to a minute and a half before 10:50.
    assert float(total.unmeasured_gpu_hours) == pytest.approx(18 / 60, abs=1e-9)
    assert (total.efficiency, float(total.used_gpu_hours)) == (0.5, pytest.approx(0.35, abs=1e-9))
    assert "rejected_samples" in kinds()


@pytest.mark.parametrize(
    ("metric", "value", "source"), [pytest.param(UTIL, 50, "gpu_util", id="OC-105 per cent"), pytest.param(PROFILING, 0.5, "gr_engine", id="OC-105 ratio")]
)
def test_the_unit_follows_from_the_name(metric: str, value: float, source: str, tmp_path) -> None:
    who = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
    Ground().node().hold("a").put(metric, who, value).collected(tmp_path)
    assert bill().total.used_gpu_hours == D("0.5")
    assert uses("source, count(*)") == [(source, 4)]


def test_one_per_cent_is_not_a_whole_gpu(tmp_path) -> None:  # OC-105
    who = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
    Ground().node().hold("a").put(UTIL, who, 1).collected(tmp_path)
    assert bill().total.used_gpu_hours == D("0.01")
