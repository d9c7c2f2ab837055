"""A pod is whose its labels and the rules said at the time, to the second."""

from datetime import timedelta
from decimal import Decimal

import pytest

from finops.models import Rate, TeamRule
from tests.fleet import TEN, WHOLE, Fleet, bill, minutes

D = Decimal
THIRDS = {"fraud": D("0.3333333333"), "vision": D("0.6666666667")}
RULES = {"pod": "from_pod_label", "annotation": "from_pod_annotation", "namespace": "from_namespace_label"}


def one_pod() -> Fleet:
    return Fleet().node().pod("a").card("GPU-1", "a")


def hours(by: str = "team") -> dict[str, Decimal]:
    return {row.keys[by]: row.allocated_gpu_hours for row in bill(by).rows if row.allocated_gpu_hours}


def rule(position: int = 0, kind: str = "from_pod_label", **more) -> None:
    TeamRule.objects.create(position=position, kind=kind, **({"label": "team"} | more))


def relabelled(kind: str, *, until: int = 20) -> Fleet:
    """`fraud` to `until` minutes past ten, `vision` from twenty past."""
    who = {"namespace": "ml"} if kind == "namespace" else {"namespace": "ml", "pod": "a", "uid": "uid-a"}
    name = {"pod": "kube_pod_labels", "annotation": "kube_pod_annotations", "namespace": "kube_namespace_labels"}[kind]
    label = "annotation_team" if kind == "annotation" else "label_team"
    return one_pod().put(name, who | {label: "fraud"}, 1, minutes(-20, until)).put(name, who | {label: "vision"}, 1, minutes(20, 140))


@pytest.mark.parametrize("kind", RULES)
def test_a_change_at_twenty_past_divides_the_hour(kind: str, db, tmp_path) -> None:
    rule(kind=RULES[kind])
    Rate.objects.create(price="3", currency="CHF")
    relabelled(kind).collected(tmp_path)
    assert hours() == THIRDS
    answer = bill("team")
    assert {row.keys["team"]: row.used_gpu_hours for row in answer.rows} == {"fraud": D("0.1666666667"), "vision": D("0.3333333334")}
    assert (answer.total.allocated_gpu_hours, answer.total.capacity_gpu_hours, answer.total.cost) == (1, 1, 3)


def test_a_label_that_lingers_gives_way_to_the_newer(db, tmp_path) -> None:
    rule()
    relabelled("pod", until=25).collected(tmp_path)
    assert hours() == THIRDS


def test_a_second_set_of_labels_from_another_exporter_is_no_change(db, tmp_path) -> None:
    rule()
    bare = {"namespace": "ml", "pod": "a", "uid": "uid-a", "instance": "second"}
    one_pod().labels("a", team="fraud").put("kube_pod_labels", bare, 1, WHOLE).collected(tmp_path)
    assert hours() == {"fraud": 1}


def test_hours_before_and_after_a_change_are_whole(db, tmp_path) -> None:
    rule()
    fleet = one_pod().labels("a", minutes(-20, 80), team="fraud").labels("a", minutes(80, 200), team="vision")
    fleet.put("kube_node_status_capacity", {"node": "n1", "resource": "nvidia_com_gpu"}, 1, minutes(140, 200))
    fleet.pod("a", times=minutes(-20, 200)).collected(tmp_path, hours=(2, 0, 1))
    by_hour = [{row.keys["team"]: row.allocated_gpu_hours for row in bill("team", first=n).rows if row.allocated_gpu_hours} for n in range(3)]
    assert by_hour == [{"fraud": 1}, THIRDS, {"vision": 1}]


def test_user_and_queue_follow_too(db, tmp_path) -> None:
    name = "kueue_x_k8s_io_queue_name"
    fleet = one_pod().labels("a", minutes(-20, 20), **{name: "night", "user": "ada"}).labels("a", minutes(20, 140), **{name: "day", "user": "bob"})
    cluster = fleet.collected(tmp_path)
    assert hours("queue") == {"night": D("0.3333333333"), "day": D("0.6666666667")}
    cluster.user_label = "user"
    cluster.save()
    fleet.collected(tmp_path)
    assert hours("user") == {"ada": D("0.3333333333"), "bob": D("0.6666666667")}


def test_a_rule_that_begins_inside_the_hour(db, tmp_path) -> None:
    begin = TEN + timedelta(minutes=20)
    rule(0, "match", label="", name="fraud", match={"namespace": "ml"}, end=begin)
    rule(1, "match", label="", name="vision", match={"namespace": "*"}, start=begin)
    one_pod().collected(tmp_path)
    assert hours() == THIRDS


def test_a_neighbour_is_not_cut(db, tmp_path) -> None:
    rule()
    fleet = Fleet().node(nvidia_com_gpu=2).pod("a").pod("b").card("GPU-1", "a").card("GPU-2", "b").labels("b", team="risk")
    fleet.labels("a", minutes(-20, 20), team="fraud").labels("a", minutes(20, 40), team="vision").labels("a", minutes(40, 140), team="fraud")
    fleet.collected(tmp_path)
    assert hours() == {"fraud": D("0.6666666667"), "vision": D("0.3333333333"), "risk": 1}
