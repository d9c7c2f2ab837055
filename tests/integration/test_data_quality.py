"""Findings are stored with the hour, replaced with it, and read by those who may see them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from finops import pipeline
from finops.models import Rate, TeamRule
from finops.quality import Doubt, findings
from finops.scope import Window
from ingest import store, windows
from ingest.sources import Spent
from ingest.tidy.answers import Answers
from ingest.tidy.facts import facts
from tests.fleet import A100, GPU, HOUR, TEN, Fleet, bill

WINDOW = Window(TEN, TEN + HOUR)


@pytest.fixture(autouse=True)
def rules(db) -> None:
    TeamRule.objects.create(position=0, kind="from_pod_label", label="team")
    Rate.objects.create(price="3", currency="CHF", gpu_model=A100)


def found(**who) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(d.finding.kind, d.finding.subject, d.finding.teams) for d in findings(WINDOW, **who)]


def two_pods(gpus: int = 2) -> Fleet:
    fleet = Fleet().node(**{GPU: gpus}).pod("a").pod("b").labels("a", team="fraud").labels("b", team="vision")
    return fleet.card("GPU-1", "a")


def test_a_quiet_hour_has_no_findings(tmp_path) -> None:
    two_pods().card("GPU-2", "b").collected(tmp_path)
    assert found() == []


def test_more_leases_than_gpus(tmp_path) -> None:
    cluster = two_pods(1).collected(tmp_path)
    assert bill().total.allocated_gpu_hours == 1
    (doubt,) = [d for d in findings(WINDOW) if d.finding.kind == "over_committed"]
    assert doubt == Doubt(
        "lab",
        datetime(2026, 10, 6, 10, tzinfo=UTC),
        replace(
            doubt.finding,
            subject=f"n1 {A100}",
            evidence={"node": "n1", "gpu_model": A100, "excess_gpu_seconds": 3600.0, "pods": ["ml/a", "ml/b"]},
            teams=("fraud", "vision"),
        ),
    )
    before = found()
    pipeline.account(cluster, start=TEN, end=TEN + HOUR)
    assert found() == before


def test_the_other_kinds(tmp_path) -> None:
    fleet = two_pods().card("GPU-2").node("n2").card("GPU-3", "c", model="Tesla T4", node="n2", busy=0.0)
    fleet.pod("c", node="n2").labels("c", team="unassigned")
    fleet.put("DCGM_FI_DEV_GPU_UTIL", {"UUID": "GPU-3", "Hostname": "n2", "modelName": "Tesla T4"}, 80)
    fleet.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100}, 9e18, range(30, 3630, 300))
    fleet.collected(tmp_path)
    assert found() == [
        ("frozen_profiling", "GPU-3", ("unassigned",)),
        ("inferred_device", "GPU-2", ("vision",)),
        ("rejected_samples", "GPU-1", ("fraud",)),
        ("reserved_team_label", "uid-c nvidia_com_gpu", ("unassigned",)),
        ("unpriced", "Tesla T4 on-demand", ()),
    ]


def test_a_lease_without_a_measurement_beside_one_with(tmp_path) -> None:
    two_pods().collected(tmp_path)
    assert found() == [("no_measurement", "uid-b nvidia_com_gpu", ("vision",))]


def test_they_go_when_the_hour_no_longer_shows_them(tmp_path) -> None:
    two_pods(1).collected(tmp_path)
    assert found()
    two_pods(2).card("GPU-2", "b").collected(tmp_path)
    assert found() == []


def test_a_reader_of_one_team_sees_what_is_about_its_pods_alone(tmp_path) -> None:
    two_pods(1).put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100}, -1, range(30, 3630, 300)).collected(tmp_path)
    assert [kind for kind, *_ in found()] == ["no_measurement", "over_committed", "rejected_samples"]
    assert found(teams=frozenset({"fraud"})) == [("rejected_samples", "GPU-1", ("fraud",))]
    assert found(teams=frozenset({"vision"})) == [("no_measurement", "uid-b nvidia_com_gpu", ("vision",))]
    assert found(teams=frozenset({"fraud", "vision"})) == [
        ("no_measurement", "uid-b nvidia_com_gpu", ("vision",)), ("rejected_samples", "GPU-1", ("fraud",))]  # fmt: skip
    assert found(teams=frozenset()) == []
    assert found(clusters=["elsewhere"]) == []
    assert findings(Window(TEN + HOUR, TEN + 2 * HOUR)) == []


def test_a_source_that_forgot_is_told_until_it_answers_again(tmp_path) -> None:
    cluster = two_pods().card("GPU-2", "b").collected(tmp_path)
    start, end = TEN.timestamp(), (TEN + HOUR).timestamp()
    (claim,) = windows.take(cluster.pk, [(TEN, TEN + HOUR)], owner="test", now=TEN + HOUR)
    with pytest.raises(store.SourceForgot):
        nothing = facts(Answers(start, end, {}))
        store.store(nothing, cluster=cluster.pk, attempt=claim.attempt, until=TEN + HOUR, settled=TEN + HOUR, spent=Spent())
    pipeline.account(cluster, start=TEN, end=TEN + HOUR)
    assert found() == [("source_forgot", "", ())]
    assert bill().total.allocated_gpu_hours == 2
    two_pods().card("GPU-2", "b").collected(tmp_path)
    assert found() == []
