"""From when to when a pod holds its GPUs."""

from decimal import Decimal
from itertools import chain

import pytest

from tests.cases_opencost.ground import GPU, PER_DAY, WHOLE, Ground, bill, cluster, price, rows
from tests.fleet import minutes

D = Decimal
pytestmark = pytest.mark.django_db


def test_a_missing_image_keeps_the_gpu_from_others(tmp_path) -> None:  # OC-16
    price("2")
    Ground().node().hold("a", image_missing=True).card("GPU-1", busy=0.0).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.starting_gpu_hours, total.used_gpu_hours, total.idle_gpu_hours) == (1, 1, 0, 0)
    assert (total.cost, total.starting_cost, total.efficiency) == (2, 2, None)


def test_a_pod_that_waits_for_a_node_holds_nothing(tmp_path) -> None:  # OC-17
    Ground().node(**{GPU: 8}).hold("a", 8, node="", image_missing=True).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.unallocated_gpu_hours) == (0, 8)


def test_a_finished_job_is_not_charged_while_its_object_stays(tmp_path) -> None:  # OC-18
    cluster(interval=300)
    fleet = Ground().node(times=PER_DAY).card("GPU-1", times=PER_DAY)
    fleet.hold("a", times=range(0, 3600, 300), completed=None)
    fleet.hold("a", times=range(3600, 87600, 300), bound=0, completed=3600, phase="Succeeded").collected(tmp_path, hours=range(24))
    assert [bill(first=hour).total.allocated_gpu_hours for hour in range(24)] == [1] + [0] * 23


@pytest.mark.parametrize("times", [pytest.param(WHOLE, id="OC-19 one window"), pytest.param(range(-1200, 8 * 3600 + 1200, 60), id="OC-19 all day")])
def test_an_evicted_pod_holds_nothing_from_then_on(times: range, tmp_path) -> None:
    """No completion time: the kubelet killed it from outside."""
    before, after = range(times.start - 3600, 0, 60), range(0, times.stop, 60)
    fleet = Ground().node(times=range(times.start - 3600, times.stop, 60)).hold("a", times=before)
    who = {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"}
    fleet.hold("a", times=after, bound=before[0]).put("kube_pod_status_phase", who | {"phase": "Failed"}, 1, after)
    fleet.put("kube_pod_status_phase", who | {"phase": "Failed"}, 0, before)
    hours = (-1, *range(times.stop // 3600 - 1))
    fleet.collected(tmp_path, hours=hours)
    assert [bill(first=hour).total.allocated_gpu_hours for hour in hours if hour >= 0] == [0] * (len(hours) - 1)
    # Seen at 9:59 and as Failed at 10:00: half an interval after the last sight.
    assert bill(first=-1).total.allocated_gpu_hours == D("0.9916666667")


@pytest.mark.parametrize("order", [pytest.param(range(12), id="OC-20 forwards"), pytest.param((10, 0, 11, 5, 1), id="OC-20 in pieces")])
def test_two_runs_of_one_name_are_two(order, tmp_path) -> None:
    cluster(interval=300)
    fleet = Ground().node(times=range(-1200, 13 * 3600, 300))
    for uid, begin in (("first", 0), ("second", 10 * 3600)):
        fleet.hold("train-0", uid=uid, times=range(begin, begin + 3600, 300))
        fleet.hold("train-0", uid=uid, times=range(begin + 3600, begin + 4500, 300), bound=begin, completed=begin + 3600, phase="Succeeded")
    fleet.collected(tmp_path, hours=order)
    assert bill(hours=12).total.allocated_gpu_hours == 2


def test_one_name_in_two_namespaces_is_two_pods(tmp_path) -> None:  # OC-21
    price("2")
    Ground().node(**{GPU: 3}).hold("database-0", namespace="team-a").hold("database-0", 2, namespace="team-b").collected(tmp_path)
    assert {name: row.cost for name, row in rows("namespace").items() if name} == {"team-a": 2, "team-b": 4}


def test_lost_samples_lower_no_average(tmp_path) -> None:  # OC-22
    kept = [t for t in WHOLE if t // 60 % 3]
    Ground().node(times=kept).hold("a", times=kept).card("GPU-1", "a", busy=0.8, times=kept).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.used_gpu_hours, total.efficiency, total.coverage) == (1, D("0.8"), 0.8, 1.0)


@pytest.mark.parametrize("order", [pytest.param(tuple(range(24)), id="OC-23 forwards"), pytest.param((*range(23, 2, -1), 0, 2, 1), id="OC-23 backwards")])
def test_an_outage_of_two_hours_is_charged_and_told(order: tuple[int, ...], tmp_path) -> None:
    price("3")
    cluster(interval=300)
    seen = list(chain(range(-1200, 7200, 300), range(4 * 3600, 86400 + 1200, 300)))
    Ground().node(times=seen).hold("a", times=seen).card("GPU-1", "a", busy=1.0, times=seen).collected(tmp_path, hours=order)
    total = bill(hours=24).total
    assert (total.allocated_gpu_hours, total.capacity_gpu_hours, total.cost) == (24, 24, 72)
    # The last sample, five minutes before the outage, speaks up to two minutes and a half into it; the first one after it, for seven and a half.
    assert float(total.unmeasured_gpu_hours) == pytest.approx((7200 - 150 - 450) / 3600, abs=1e-6)
    assert total.coverage == pytest.approx(1 - 6600 / 86400, abs=1e-9)


def test_labels_that_outlive_their_pod_count_for_nothing(tmp_path) -> None:  # OC-24
    begin = range(-3600, 0, 60)
    fleet = Ground().node(times=range(-4800, 8400, 60)).hold("a", times=begin)
    fleet.hold("a", times=range(0, 1800, 60), bound=-3600, completed=0, phase="Succeeded")
    fleet.card("GPU-1", "a", busy=1.0, times=range(-3600, 1800, 60)).card("GPU-1", busy=0.0, times=range(1800, 8400, 60))
    fleet.collected(tmp_path, hours=(-1, 0))
    assert (bill(first=-1).total.allocated_gpu_hours, bill(first=-1).total.used_gpu_hours) == (1, 1)
    assert (bill().total.allocated_gpu_hours, bill().total.used_gpu_hours, bill().total.unallocated_gpu_hours) == (0, 0, 1)


def test_a_label_that_comes_and_goes_leaves_the_card_its_pods(tmp_path) -> None:  # OC-25
    fleet = Ground().node(**{GPU: 2}).hold("a").card("GPU-2", busy=0.0)
    fleet.card("GPU-1", "a", busy=1.0, times=minutes(-20, 30)).card("GPU-1", busy=1.0, times=minutes(30, 140)).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.used_gpu_hours, total.coverage) == (1, 1, 1.0)


def test_half_an_hour_without_the_series_is_half_measured(tmp_path) -> None:  # OC-25
    Ground().node().hold("a").card("GPU-1", "a", busy=1.0, times=minutes(-20, 30)).collected(tmp_path)
    total = bill().total
    # The sample of 10:29 speaks for a minute and a half: to 10:30:30.
    assert (total.used_gpu_hours, total.unmeasured_gpu_hours, total.idle_gpu_hours) == (D("0.5083333333"), D("0.4916666667"), 0)
    assert total.coverage == pytest.approx(0.508, abs=0.001) and total.efficiency == 1.0


def test_a_gpu_asked_by_an_init_container_is_held_for_the_pods_life(tmp_path) -> None:  # OC-26
    Ground().node().hold("a", init=True, times=minutes(0, 80), started=600).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.starting_gpu_hours) == (1, D("0.1666666667"))


@pytest.mark.parametrize(
    "sightings", [pytest.param(range(600, 2400, 60), id="OC-27 object stays"), pytest.param(range(600, 601), id="OC-27 one scrape")]
)
def test_a_pod_of_thirty_seconds_is_exact_where_its_end_was_seen(sightings: range, tmp_path) -> None:
    Ground().node().hold("a", times=sightings, bound=565, completed=595, phase="Succeeded").collected(tmp_path)
    assert bill().total.allocated_gpu_hours == D("0.0083333333")


def test_a_pod_seen_once_and_deleted_is_right_within_an_interval(tmp_path) -> None:  # OC-27
    Ground().node().hold("a", times=range(600, 601), bound=580).collected(tmp_path)
    assert float(bill().total.allocated_gpu_hours) * 3600 == pytest.approx(30, abs=60)
    assert bill().total.allocated_gpu_hours == D("0.0138888889")  # from binding to half an interval after its only sight: 50 s


def test_held_for_an_hour_used_for_half(tmp_path) -> None:  # OC-28
    Ground().node().hold("a").card("GPU-1", "a", busy=0.5).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours * 3600, total.used_gpu_hours * 3600) == (3600, 1800)
