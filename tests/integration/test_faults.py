"""Each kind of fault through a collected hour: where it is told, what it touches, and where it stays silent.

A GPU-hour costs 3. Pod a is team fraud's, pod b team vision's; each holds one of two GPUs of n1 from ten to eleven: 1 GPU-hour and 3 each.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection

from finops import pipeline
from finops.kinds import KINDS
from finops.models import Cluster, Rate, TeamRule
from finops.quality import Fault, faults
from finops.scope import Window
from ingest import store, windows
from ingest.sources import Spent
from ingest.tidy.answers import Answers
from ingest.tidy.facts import facts
from tests.fleet import A100, GPU, HOUR, TEN, WHOLE, Fleet, commit, minutes

WINDOW = Window(TEN, TEN + HOUR)
SHARED = "nvidia_com_gpu_shared"
PROFILING, PERCENT = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"


@pytest.fixture(autouse=True)
def rules(db) -> None:
    TeamRule.objects.create(position=0, kind="from_pod_label", label="team")
    Rate.objects.create(price="3", currency="CHF", gpu_model=A100)


def board(uuid: str, owner: str = "", **more: str) -> dict[str, str]:
    named = {"exported_pod": owner, "exported_namespace": "ml"} if owner else {}
    return {"UUID": uuid, "Hostname": "n1", "modelName": A100, **named, **more}


def pods(gpus: int = 2, **units: int) -> Fleet:
    """The two pods on their node, and no card yet."""
    resource = next(iter(units), GPU)
    fleet = Fleet().node(**(units or {GPU: gpus})).pod("a", resource=resource).pod("b", resource=resource)
    return fleet.labels("a", team="fraud").labels("b", team="vision")


def sound() -> Fleet:
    return pods().card("GPU-1", "a").card("GPU-2", "b")


def requested(name: str, node: str = "n1", *, bound: float = -1200, owner: bool = True, times: range = WHOLE, **target: str) -> Fleet:
    """A fleet of one pod; `target`: the labels of kube-state-metrics' own pod, put in front."""
    fleet, who = Fleet(), {"namespace": "ml", "pod": name, "uid": f"uid-{name}"}
    seen = {f"exported_{k}" if k in target else k: v for k, v in who.items()} | target
    fleet.put("kube_pod_container_resource_requests", seen | {"container": "main", "node": node, "resource": GPU}, 1, times)
    fleet.put("kube_pod_status_scheduled_time", seen, TEN.timestamp() + bound, times)
    fleet.put("kube_pod_container_state_started", seen | {"container": "main"}, TEN.timestamp() + bound, times)
    if owner:
        fleet.unowned(seen, times)
    return fleet.put("kube_pod_labels", seen | {"label_team": "fraud"}, 1, times).node(node)


def one(**how) -> Fleet:
    return requested("a", **how).card("GPU-1", "a")


@dataclass(frozen=True)
class Case:
    """`fleet` shows the fault, `other` just does not. `touched`: subject, GPU-hours, cost, teams."""

    kind: str
    fleet: Callable[[], Fleet]
    other: Callable[[], Fleet]
    touched: tuple[str, str, str | None, tuple[str, ...]]


CASES = [
    # Both pods are on the node that is read twice.
    Case("doubled_exporters", lambda: sound().put(PROFILING, board("GPU-1", "a", instance="second"), 0.5), sound,
         ("dcgm-exporter", "2", "6", ("fraud", "vision"))),
    Case("doubled_kube_state_metrics",
         lambda: sound().put("kube_pod_container_resource_requests", {"namespace": "ml", "pod": "a", "uid": "uid-a", "container": "main",
                                                                     "node": "n1", "resource": GPU, "instance": "second"}, 1),
         sound, ("kube-state-metrics", "2", "6", ("fraud", "vision"))),
    Case("honor_labels", lambda: one(namespace="monitoring", pod="ksm-0", job="ksm"), one, ("kube-state-metrics", "1", "3", ("fraud",))),
    Case("ownerless_pods", lambda: one(owner=False), one, ("kube_pod_owner", "1", "3", ("fraud",))),
    # Seen at 10:00:00, bound at 10:00:30 by its own word: its clock is ahead. 5 s may be rounding. 59.5 min are 0.9916666667 h.
    Case("clock_skew", lambda: one(bound=30, times=minutes(0, 140)), lambda: one(bound=5, times=minutes(0, 140)),
         ("kube_pod_status_scheduled_time", "0.9916666667", "2.9750000001", ("fraud",))),
    # Neither card names a pod: nothing reaches them, which of the two is whose cannot be told.
    Case("unnamed_devices", lambda: pods().card("GPU-1").card("GPU-2"), sound, ("n1", "2", "6", ("fraud", "vision"))),
    # b's board is gone from 10:30 on. Its last sample of 10:29 speaks until 10:30:30: 29.5 min are unmeasured, 0.4916666666 h after rounding.
    Case("vanished_board", lambda: pods().card("GPU-1", "a").card("GPU-2", "b", times=minutes(-20, 30)), sound,
         ("n1", "0.4916666666", "1.4749999998", ("vision",))),
    # The exporter is gone from 10:20 on, the last sample of 10:19 speaks until 10:20:30: 39.5 min of each pod, 2 × 0.6583333333 h.
    Case("silent_exporter", lambda: pods().card("GPU-1", "a", times=minutes(-20, 20)).card("GPU-2", "b", times=minutes(-20, 20)),
         sound, ("n1", "1.3166666666", "3.9499999998", ("fraud", "vision"))),
    # One board, two halves of it: what each used is a guess, 0.5 GPU-hours and 1.50 each.
    Case("shared_without_measurement", lambda: pods(**{SHARED: 2}).card("GPU-1", "a").card("GPU-1", "b"),
         lambda: pods(**{SHARED: 2}).card("GPU-1", "a").card("GPU-2", "b"), ("n1", "1", "3", ("fraud", "vision"))),
    Case("frozen_profiling", lambda: pods().card("GPU-1", "a", busy=0).put(PERCENT, board("GPU-1", "a"), 80).card("GPU-2", "b"), sound,
         ("GPU-1", "1", "3", ("fraud",))),
    # Every fifth sample of a board is a blank marker.
    Case("rejected_samples", lambda: sound().put(PROFILING, board("GPU-1"), 9e18, range(30, 3630, 300)),
         lambda: sound().put(PROFILING, board("GPU-1"), 9e18, range(30, 2730, 300)), ("GPU-1", "1", "3", ("fraud",))),
    Case("inferred_device", lambda: pods().card("GPU-1", "a").card("GPU-2"), sound, ("GPU-2", "1", "3", ("vision",))),
    # The two boards of n1 are held, one of them by nobody that is measured.
    Case("no_measurement", lambda: pods(2).card("GPU-1", "a"), sound, ("uid-b nvidia_com_gpu", "1", "3", ("vision",))),
    # One GPU, two pods that each hold it: half of it each.
    Case("over_committed", lambda: pods(1).card("GPU-1", "a"), sound, (f"n1 {A100}", "1", "3", ("fraud", "vision"))),
    Case("unpriced", lambda: sound().node("n2").card("GPU-3", model="Tesla T4", node="n2"), sound, ("Tesla T4 on-demand", "1", None, ())),
    Case("no_team", lambda: sound().node("n2").card("GPU-3", "c", node="n2").pod("c", node="n2").labels("c", app="x"), sound,
         ("ml", "1", "3", ("unassigned",))),
    # No pod of the hour bears the label; where one does, the others just lack it.
    Case("no_pod_labels", lambda: Fleet().node().pod("a").labels("a", app="x").card("GPU-1", "a"),
         lambda: one().node("n2").pod("c", node="n2").card("GPU-3", "c", node="n2"), ("team", "1", "3", ("unassigned",))),
    Case("reserved_team_label", lambda: Fleet().node().pod("a").labels("a", team="unassigned").card("GPU-1", "a"), one,
         ("uid-a nvidia_com_gpu", "1", "3", ("unassigned",))),
    # Nothing is known of n9: its pod is charged to no node; what it held is known, what it costs is not.
    Case("unknown_node", lambda: sound().pod("c", node="n9").labels("c", team="fraud"), sound, ("n9", "1", None, ("fraud",))),
]  # fmt: skip


def fleet_cluster() -> Cluster:
    return Cluster.objects.get(name="lab")


def insert(cluster: int, hour: datetime, *, subject: str = "GPU-1", hours: int = 2, cost: str | None = None) -> None:
    """A finding as the ledger stores it."""
    shares = {"fraud": {"gpu_hours": str(hours), "cost": cost, "pods": ["ml/a"]}}
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into finding (cluster_id, hour, kind, subject, message, evidence, shares, gpu_hours, cost)
               values (%s, %s, 'frozen_profiling', %s, 'stuck', '{}', %s, %s, %s)""",
            [cluster, hour, subject, json.dumps(shares), hours, cost],
        )


def told(window: Window = WINDOW, **who) -> dict[str, Fault]:
    return {fault.kind.name: fault for fault in faults(window, **who)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_what_a_fault_touches(case: Case, tmp_path) -> None:
    case.fleet().collected(tmp_path)
    found = told()[case.kind]
    subject, hours, cost, teams = case.touched
    assert (found.subject, found.teams) == (subject, teams)
    assert (found.gpu_hours, found.cost) == (Decimal(hours), cost and Decimal(cost))
    assert (found.cluster, found.since, found.last, found.hours, found.lasts) == ("lab", TEN, TEN, 1, True)
    assert found.cure and "$" not in found.cure


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_where_it_is_silent(case: Case, tmp_path) -> None:
    case.other().collected(tmp_path)
    assert case.kind not in told()


def test_a_quiet_hour_has_no_faults(tmp_path) -> None:
    sound().collected(tmp_path)
    assert told() == {}


def test_a_whole_cluster_without_exporters_is_one_fault(tmp_path) -> None:
    """Two nodes of one pod each, all unmeasured: one fault of 2 GPU-hours, not one per node."""
    Fleet().node().node("n2").pod("a").pod("b", node="n2").labels("a", team="fraud").labels("b", team="vision").collected(tmp_path)
    (fault,) = [f for f in faults(WINDOW) if f.kind.name == "silent_exporter"]
    assert (fault.subject, fault.gpu_hours, fault.pods) == ("every node", 2, ("ml/a", "ml/b"))


def test_an_hour_without_samples_is_told(tmp_path) -> None:
    """Nothing is scraped from 11 to 12, margins included; the pods before and after hold all the same: 2 GPU-hours, 6."""
    around = [*minutes(-20, 45), *minutes(135, 200)]
    fleet = Fleet().node(times=around, **{GPU: 2}).pod("a", times=around).pod("b", times=around)
    fleet.labels("a", around, team="fraud").labels("b", around, team="vision").card("GPU-1", "a", times=around).card("GPU-2", "b", times=around)
    fleet.collected(tmp_path, hours=(0, 1, 2))
    pipeline.account(fleet_cluster(), start=TEN, end=TEN + 3 * HOUR)
    commit()
    found = told(Window(TEN + HOUR, TEN + 2 * HOUR))["silent_source"]
    assert (found.gpu_hours, found.cost, found.teams, found.since) == (2, 6, ("fraud", "vision"), TEN + HOUR)


def test_since_when_reaches_back_over_pauses_of_a_day_and_no_further(tmp_path) -> None:
    """Told at hours 0, 1, 10, 34 and 59 after ten: 34 follows 10 by a day, 59 follows 34 by more. Two GPU-hours each."""
    cluster = Fleet().node(**{GPU: 1}).collected(tmp_path)
    for hour in (0, 1, 10, 34, 59):
        insert(cluster.pk, TEN + hour * HOUR)
    assert told(Window(TEN + HOUR, TEN + 35 * HOUR))["frozen_profiling"].since == TEN
    late = told(Window(TEN + 34 * HOUR, TEN + 60 * HOUR))["frozen_profiling"]
    assert (late.since, late.last, late.hours, late.gpu_hours, late.cost) == (TEN + 59 * HOUR, TEN + 59 * HOUR, 2, 4, None)
    assert told(Window(TEN, TEN + 10 * HOUR))["frozen_profiling"].last == TEN + HOUR


def test_the_dearest_come_first_then_the_longest_then_by_name(tmp_path) -> None:
    cluster = Fleet().node(**{GPU: 1}).collected(tmp_path)
    for subject, hours, cost in (("d", 1, None), ("c", 9, None), ("b", 1, "2"), ("a", 1, "7"), ("e", 1, None)):
        insert(cluster.pk, TEN, subject=subject, hours=hours, cost=cost)
    assert [fault.subject for fault in faults(WINDOW, kinds=["frozen_profiling"])] == ["a", "b", "c", "d", "e"]


def test_accounting_again_replaces_what_it_found_and_keeps_what_the_collecting_did(tmp_path) -> None:
    """The collecting's fault stays and is told anew: at a price of 5 the two GPU-hours cost 10."""
    cluster = sound().put(PROFILING, board("GPU-1", "a", instance="second"), 0.5).put(PROFILING, board("GPU-1"), 9e18, range(30, 3630, 300)).collected(tmp_path)
    assert {name: fault.cost for name, fault in told().items()} == {"doubled_exporters": 6, "rejected_samples": 3}
    Rate.objects.update(price="5")
    pipeline.account(cluster, start=TEN, end=TEN + HOUR)
    assert {name: fault.cost for name, fault in told().items()} == {"doubled_exporters": 10, "rejected_samples": 5}
    sound().collected(tmp_path)
    assert told() == {}


def test_collecting_twice_keeps_what_a_fault_touches(tmp_path) -> None:
    twice = sound().put(PROFILING, board("GPU-1", "a", instance="second"), 0.5)
    twice.collected(tmp_path)
    before = faults(WINDOW)
    twice.collected(tmp_path)
    assert faults(WINDOW) == before and before[0].cost == 6


def test_an_hour_the_source_forgot_touches_all_of_it(tmp_path) -> None:
    cluster = sound().collected(tmp_path)
    (claim,) = windows.take(cluster.pk, [(TEN, TEN + HOUR)], owner="test", now=TEN + HOUR)
    nothing = facts(Answers(TEN.timestamp(), (TEN + HOUR).timestamp(), {}))
    with pytest.raises(store.SourceForgot):
        store.store(nothing, cluster=cluster.pk, attempt=claim.attempt, until=TEN + HOUR, settled=TEN + HOUR, spent=Spent())
    pipeline.account(cluster)
    assert (told()["source_forgot"].gpu_hours, told()["source_forgot"].cost) == (2, 6)


def test_a_reader_of_one_team_sees_what_touches_its_pods_with_its_own_figures(tmp_path) -> None:
    """Of two GPU-hours that are read twice one is fraud's; the text that names both pods is not shown."""
    pods(1).card("GPU-1", "a").collected(tmp_path)
    (mine,) = [fault for fault in faults(WINDOW, teams=frozenset({"fraud"})) if fault.kind.name == "over_committed"]
    assert (mine.gpu_hours, mine.cost, mine.teams, mine.pods) == (Decimal("0.5"), Decimal("1.5"), ("fraud",), ("ml/a",))
    assert mine.message == KINDS["over_committed"].title
    assert set(told(teams=frozenset({"vision"}))) == {"over_committed", "no_measurement"}
    assert told(teams=frozenset({"vision"}))["no_measurement"].message == "ml/b ran on n1 and nothing measured it, while others there were"
    assert faults(WINDOW, teams=frozenset()) == faults(WINDOW, teams=frozenset({"audit"})) == []
    assert faults(WINDOW, teams=frozenset({"vision"}), touching=["fraud"]) == []


def test_it_narrows_by_cluster_kind_and_team(tmp_path) -> None:
    pods(1).card("GPU-1", "a").collected(tmp_path)
    assert set(told(kinds=["no_measurement"])) == {"no_measurement"}
    assert set(told(touching=["fraud"])) == {"over_committed"}
    assert told(clusters=["elsewhere"]) == {}
    assert faults(Window(TEN + timedelta(days=1), TEN + timedelta(days=2))) == []
