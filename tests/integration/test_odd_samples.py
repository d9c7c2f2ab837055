"""Samples and labels that no sound cluster has: the hour is stored nevertheless, and nobody's share moves."""

from decimal import Decimal as D
from math import inf, nan

import pytest

from tests.fleet import A100, GPU, TEN, Fleet, bill, minutes

H100 = "NVIDIA H100 80GB HBM3"
HALF, END = minutes(-20, 30), [1800]
WHO = {"namespace": "ml", "pod": "a", "uid": "uid-a"}
REQUEST = {"container": "main", "node": "n1", "resource": GPU}
pytestmark = pytest.mark.django_db


def test_a_dump_marks_the_end_of_a_series_by_nan(tmp_path) -> None:
    fleet = Fleet().node().pod("a", times=HALF).card("GPU-1", "a", times=HALF).card("GPU-1", "a", busy=nan, times=END)
    fleet.put("kube_pod_container_resource_requests", WHO | REQUEST, nan, END).put("kube_pod_status_scheduled_time", WHO, nan, END)
    fleet.put("kube_pod_container_state_started", WHO | {"container": "main"}, nan, END).collected(tmp_path)
    total = bill().total  # seen last at 10:29, half a minute more
    assert (total.allocated_gpu_hours, total.used_gpu_hours) == (D("0.4916666667"), D("0.2458333334"))


def test_a_node_whose_series_ends_by_nan(tmp_path) -> None:
    capacity = {"node": "n1", "resource": GPU, "unit": "integer"}
    fleet = Fleet().put("kube_node_status_capacity", capacity, nan, [-1200]).node(times=HALF)
    fleet.put("kube_node_status_capacity", capacity, nan, END).collected(tmp_path)
    assert bill().total.capacity_gpu_hours == D("0.4916666667")


@pytest.mark.parametrize("units", [inf, 1e12, -1])
def test_a_request_that_is_no_number_of_gpus(units: float, tmp_path) -> None:
    fleet = Fleet().node().pod("a").card("GPU-1", "a")
    fleet.put("kube_pod_container_resource_requests", {"namespace": "ml", "pod": "b", "uid": "uid-b"} | REQUEST, units).collected(tmp_path)
    assert (bill().total.allocated_gpu_hours, bill().total.used_gpu_hours * 2) == (1, 1)


@pytest.mark.parametrize("moment", [nan, inf, -inf, 1e308, -62135596800.0])
def test_a_moment_that_cannot_be(moment: float, tmp_path) -> None:
    """It counts as not told: b holds from half past, when it was first seen. The last is a time that Go never set."""
    late, who = minutes(30, 140), {"namespace": "ml", "pod": "b", "uid": "uid-b"}
    fleet = Fleet().node(**{GPU: 2}).pod("a").card("GPU-1", "a").put("kube_node_created", {"node": "n1"}, moment)
    fleet.put("kube_pod_container_resource_requests", who | REQUEST, 1, late).unowned(who, late)
    for name in ("kube_pod_status_scheduled_time", "kube_pod_start_time", "kube_pod_completion_time"):
        fleet.put(name, who, moment, late)
    fleet.put("kube_pod_container_state_started", who | {"container": "main"}, moment, late).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.starting_gpu_hours, total.used_gpu_hours) == (D("1.5"), D("0.5"), D("0.5"))



def test_an_annotation_with_a_nul(tmp_path) -> None:
    Fleet().node().pod("a").card("GPU-1", "a").put("kube_pod_annotations", WHO | {"annotation_note": "x\0y"}, 1).collected(tmp_path)
    assert bill().total.allocated_gpu_hours == 1


@pytest.mark.parametrize(("old", "new"), [(A100, H100), (H100, A100)])
def test_a_machine_that_follows_under_the_same_name_is_not_in_the_hour_before(old: str, new: str, tmp_path) -> None:
    fleet = Fleet().node().put("kube_node_info", {"node": "n1", "system_uuid": "1"}, 1, minutes(-20, 64))
    fleet.put("kube_node_info", {"node": "n1", "system_uuid": "2"}, 1, minutes(64, 140))
    fleet.card("GPU-1", model=old, times=minutes(-20, 64)).card("GPU-2", model=new, times=minutes(64, 140)).collected(tmp_path, hours=(0, 1))
    assert [row.keys["gpu_model"] for row in bill("gpu_model").rows] == [old]


def in_turn() -> Fleet:
    """n1 is an A100's until 10:20; from 10:40 another machine of that name, which joined at 10:38, has an H100."""
    first, second = minutes(-20, 20), minutes(40, 140)
    fleet = Fleet().node(times=first).put("kube_node_info", {"node": "n1", "system_uuid": "1"}, 1, first)
    fleet.put("kube_node_status_capacity", {"node": "n1", "resource": GPU, "unit": "integer"}, 1, second)
    fleet.put("kube_node_created", {"node": "n1"}, TEN.timestamp() + 38 * 60, second)
    fleet.put("kube_node_info", {"node": "n1", "system_uuid": "2"}, 1, second)
    fleet.card("GPU-1", "a", model=A100, times=first).card("GPU-2", "b", model=H100, times=second)
    return fleet.pod("a", times=first).pod("b", times=second)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_name_that_goes_on_to_another_machine_within_the_hour(order: tuple[int, ...], tmp_path) -> None:
    in_turn().collected(tmp_path, hours=order)
    hours = {row.keys["gpu_model"]: (row.allocated_gpu_hours, row.unallocated_gpu_hours) for row in bill("gpu_model").rows}
    assert hours == {A100: (D("0.3250000000"), 0), H100: (D("0.3333333334"), D("0.0333333333"))}  # 19.5 min; 20 of 22 min
    assert {row.keys["gpu_model"]: row.capacity_gpu_hours for row in bill("gpu_model", first=1).rows} == {H100: 1}


def test_a_machine_that_reports_by_two_spellings_is_one(tmp_path) -> None:
    fleet = Fleet().node().put("kube_node_info", {"node": "n1", "system_uuid": "1"}, 1).put("kube_node_info", {"node": "n1", "provider_id": "p"}, 1)
    fleet.pod("a").card("GPU-1", "a").collected(tmp_path)
    assert (bill().total.capacity_gpu_hours, bill().total.used_gpu_hours * 2) == (1, 1)
