"""Which pod, whose, and how often: names that return, copies of kube-state-metrics, labels spelt otherwise."""

import json

import pytest
from django.db import connection

from finops.models import TeamRule
from tests.cases_kube.ground import Ground, hours, thirds
from tests.fleet import GPU, minutes

pytestmark = pytest.mark.django_db


def named(ground: Ground) -> Ground:
    """Each pod labelled by its uid, so that figures can be told apart by it."""
    for uid, times in (("first", minutes(-20, 20)), ("second", minutes(30, 140))):
        ground.put("kube_pod_labels", {"namespace": "ml", "pod": "nb-0", "uid": uid, "label_which": uid}, 1, times)
    return ground


def twins() -> Ground:
    """nb-0 on n1 until 10:20 and, with another uid, on n2 from 10:30 on; one card each that bears the pod's name and no uid."""
    ground = Ground().node("n1").node("n2")
    ground.bound("nb-0", uid="first", node="n1", at=-20, started=-20, times=minutes(-20, 20))
    ground.bound("nb-0", uid="second", node="n2", at=30, started=30, times=minutes(30, 140))
    named(ground)
    return ground.card("GPU-1", "nb-0", node="n1", busy=1.0, times=minutes(-20, 20)).card("GPU-2", "nb-0", node="n2", busy=0.5, times=minutes(30, 140))


@pytest.mark.parametrize("row", ["B1", "B2"])
def test_a_name_that_returns_is_another_pod(row: str, tmp_path) -> None:
    twins().collected(tmp_path)
    assert hours("allocated", by="label:which") == {"first": thirds(19.5), "second": thirds(30)}
    assert hours("allocated", by="node") == {"n1": thirds(19.5), "n2": thirds(30)}


@pytest.mark.parametrize("row", ["B3"])
def test_use_without_a_uid_goes_to_the_pod_of_that_time(row: str, tmp_path) -> None:
    """The card is the same throughout: busy 1.0 under the first pod, 0.25 under the second, 1.0 again while nobody holds it."""
    ground = Ground().node()
    ground.bound("nb-0", uid="first", at=-20, started=-20, times=minutes(-20, 20)).bound("nb-0", uid="second", at=30, started=30, times=minutes(30, 140))
    named(ground).card("GPU-1", "nb-0", busy=1.0, times=minutes(-20, 30)).card("GPU-1", "nb-0", busy=0.25, times=minutes(30, 140)).collected(tmp_path)
    assert hours("used", "idle", by="label:which") == {"first": (*thirds(19.5), 0), "second": thirds(7.5, 22.5)}


@pytest.mark.parametrize(("row", "label"), [("C1", "instance"), ("C2", "endpoint"), ("C7", "job")])
def test_copies_of_kube_state_metrics_count_once(row: str, label: str, tmp_path) -> None:
    """The same cluster under two values of a target's label, ten seconds apart, the first of which ends at 10:30."""
    ground = Ground()
    for copy, times in (("one", minutes(-20, 30)), ("two", range(-1190, 8400, 60))):
        more = {label: copy}
        ground.bound("a", 2, at=-20, started=-20, times=times, **more)
        ground.put("kube_node_status_capacity", {"node": "n1", "resource": GPU, **more}, 4, times).told("kube_node_created", -900, {"node": "n1", **more}, times)
    ground.card("GPU-1", "a", busy=0.5).card("GPU-2", "a", busy=0.5).collected(tmp_path)
    assert hours("allocated", "used", "unallocated") == {"ml": (2, 1, 0), "": (0, 0, 2)}


@pytest.mark.parametrize("row", ["C3"])
def test_a_ghost_ends_with_its_node_at_the_latest(row: str, tmp_path) -> None:
    """A shard goes on showing a pod; its node leaves at 10:30, last seen at 10:29."""
    ground = Ground().node("n1", times=minutes(-20, 30)).node("n2").bound("a", at=-20, started=-20)
    ground.collected(tmp_path, hours=(0, 1))
    assert hours() == {"ml": thirds(29.5)}
    assert hours(first=1) == {}


@pytest.mark.parametrize("row", ["C3-successor"])
def test_a_ghost_beside_its_successor_is_scaled_and_told(row: str, tmp_path) -> None:
    """On one GPU a ghost and, from 10:30 on, the pod that took its place: never more than the GPU is charged."""
    Ground().node().bound("ghost", at=-20, started=-20).bound("next", at=30, started=30, times=minutes(30, 140)).collected(tmp_path)
    assert hours("allocated", by="pod") == {"ghost": thirds(45), "next": thirds(15)}
    with connection.cursor() as cursor:
        cursor.execute("select evidence ->> 'excess_gpu_seconds', evidence -> 'pods' from finding where kind = 'over_committed'")
        assert [(float(excess), json.loads(pods)) for excess, pods in cursor.fetchall()] == [(1800.0, ["ml/ghost", "ml/next"])]


@pytest.mark.parametrize("row", ["C5"])
def test_a_frozen_kube_state_metrics_without_a_device_is_unmeasured(row: str, tmp_path) -> None:
    """It serves the same page for hours after the API is gone; the exporter of the node is silent: nothing is called idle or used."""
    Ground().node().bound("a", at=-20, started=-20).card("GPU-1", "a", times=minutes(-20, -15)).collected(tmp_path)
    assert hours("allocated", "unmeasured", "idle") == {"ml": (1, 1, 0)}


@pytest.mark.parametrize("row", ["C6", "P3"])
def test_scrapes_that_fail_are_a_gap_and_no_free_gpu(row: str, tmp_path) -> None:
    """kube-state-metrics fails from 10:20 to 10:40 (C6) or once, at 10:20 (P3): the pod is there before and after."""
    gap = minutes(20, 40) if row == "C6" else minutes(20, 21)
    times = [t for t in minutes(-20, 140) if t not in gap]
    ground = Ground().node(times=times).bound("a", at=-20, started=-20, times=times).card("GPU-1", "a", busy=0.5).collected(tmp_path)
    assert ground is not None
    assert hours("allocated", "used", "unallocated") == {"ml": (1, *thirds(30), 0)}


def rule(label: str, position: int = 0, kind: str = "from_pod_label") -> None:
    TeamRule.objects.create(position=position, kind=kind, label=label)


@pytest.mark.parametrize("row", ["D1", "D2"])
def test_labels_that_vanish_make_a_pod_unassigned_never_unallocated(row: str, tmp_path) -> None:
    """No kube_pod_labels from 11:00 on: the hour after has its own line, `unassigned`."""
    rule("team")
    ground = Ground().node().bound("a", at=-20, started=-20).labels("a", minutes(-20, 50), team="fraud").collected(tmp_path, hours=(0, 1))
    assert ground is not None
    assert hours(by="team") == {"fraud": (1,)}
    assert hours("allocated", "unallocated", by="team", first=1) == {"unassigned": (1, 0)}


@pytest.mark.parametrize(("spelt", "asked", "right"), [
    pytest.param({"team_name_conflict1": "fraud", "team_name_conflict2": "fraud"}, ["team-name"], "fraud", id="D3-alike"),
    pytest.param({"team_name_conflict1": "fraud", "team_name_conflict2": "risk"}, ["team-name"], "unassigned", id="D3-unlike"),
    pytest.param({"team_name_conflict1": "fraud", "team_name_conflict2": "risk"}, ["team-name", "team.name"], "fraud", id="D3-both-rules"),
    pytest.param({"team_name_conflict1": "fraud", "team_name_conflict2": "risk"}, ["team.name", "team-name"], "risk", id="D3-other-order"),
    pytest.param({"cost_center": "4410"}, ["costCenter"], "4410", id="D4"),
    pytest.param({"costCenter": "4410"}, ["costCenter"], "4410", id="D4-old"),
])  # fmt: skip
def test_spellings_of_a_label(spelt: dict, asked: list[str], right: str, tmp_path) -> None:
    for position, label in enumerate(asked):
        rule(label, position)
    Ground().node().bound("a", at=-20, started=-20).labels("a", **spelt).collected(tmp_path)
    assert hours(by="team") == {right: (1,)}


@pytest.mark.parametrize("row", ["D5"])
def test_a_node_label_that_keeps_changing_is_no_second_node(row: str, tmp_path) -> None:
    ground = Ground().node().bound("a", at=-20, started=-20)
    for n in range(60):
        ground.put("kube_node_labels", {"node": "n1", "label_nvidia_com_gfd_timestamp": str(n), "label_karpenter_sh_nodepool": "gpu"}, 1, minutes(n, n + 1))
    ground.collected(tmp_path)
    assert hours("allocated", "unallocated", by="node_pool") == {"gpu": (1, 0)}


@pytest.mark.parametrize("row", ["D6"])
def test_targets_labels_that_hide_the_pods_own(row: str, tmp_path) -> None:
    """Scraped without honor_labels: pod, namespace, container and node are kube-state-metrics' own, the pods' are in exported_…."""
    own = {"pod": "ksm-0", "namespace": "monitoring", "container": "ksm", "node": "n9"}
    ground = Ground()
    for name in ("n1", "n2"):
        ground.put("kube_node_status_capacity", {**own, "exported_node": name, "resource": GPU}, 4).told("kube_node_created", -900, {**own, "exported_node": name})
    for space, name, node, gpus in (("ml", "a", "n1", {"main": 2, "side": 1}), ("web", "b", "n2", {"main": 1}), ("web", "waits", "", {"main": 1})):
        who = own | {"exported_namespace": space, "exported_pod": name, "uid": f"uid-{name}"} | ({"exported_node": node} if node else {})
        for container, units in gpus.items():
            ground.put("kube_pod_container_resource_requests", who | {"exported_container": container, "resource": GPU}, units)
            ground.told("kube_pod_container_state_started", -20, who | {"exported_container": container})
        if node:
            ground.told("kube_pod_status_scheduled_time", -20, who)
        ground.put("kube_pod_labels", who | {"label_team": f"team-{space}"}, 1)
    rule("team")
    ground.collected(tmp_path)
    assert hours("allocated", by="node") == {"n1": (3,), "n2": (1,)}
    assert hours("allocated", by="namespace") == {"ml": (3,), "web": (1,)}
    assert hours("allocated", by="team") == {"team-ml": (3,), "team-web": (1,)}


@pytest.mark.parametrize("row", ["D7"])
def test_a_device_series_with_the_exporters_own_pod(row: str, tmp_path) -> None:
    ground = Ground().node().bound("train-0", at=-20, started=-20).card("GPU-1", "train-0", pod="dcgm-exporter-x", namespace="gpu-operator", busy=0.5)
    ground.collected(tmp_path)
    assert hours("allocated", "used", by="pod") == {"train-0": (1, *thirds(30))}


@pytest.mark.parametrize("row", ["F5"])
def test_a_debug_container_changes_nothing(row: str, tmp_path) -> None:
    """Use under a container that no request names is the pod's."""
    ground = Ground().node().bound("a", at=-20, started=-20).card("GPU-1", "a", exported_container="debugger-x7", busy=0.5)
    ground.collected(tmp_path)
    assert hours("allocated", "used") == {"ml": (1, *thirds(30))}


@pytest.mark.parametrize("row", ["P1"])
def test_a_container_that_lingers_beside_its_successor(row: str, tmp_path) -> None:
    """Restarted at 10:30; the series of the old container goes on for five minutes with its last value."""
    ground = Ground().node().bound("a", at=-20, started=-20).card("GPU-1", "a", exported_container="old", busy=0.5, times=minutes(-20, 35))
    ground.card("GPU-1", "a", exported_container="new", busy=0.5, times=minutes(30, 140)).collected(tmp_path)
    assert hours("allocated", "used") == {"ml": (1, *thirds(30))}


@pytest.mark.parametrize("row", ["uid"])
def test_without_uids_two_pods_of_one_name_are_one_lease(row: str, tmp_path) -> None:
    """kube-state-metrics before 2.1: the ten minutes between them are held too; two names are told apart all the same."""
    who = {"namespace": "ml", "container": "main", "node": "n1", "resource": GPU}
    ground = Ground().node(nvidia_com_gpu=2)
    for times in (minutes(-20, 20), minutes(30, 140)):
        ground.put("kube_pod_container_resource_requests", who | {"pod": "nb-0"}, 1, times)
    ground.put("kube_pod_container_resource_requests", who | {"pod": "nb-1"}, 1, minutes(-20, 20)).collected(tmp_path)
    assert hours(by="pod") == {"nb-0": (1,), "nb-1": thirds(19.5)}
