"""The examination of a source in front of a real Prometheus, and of none."""

import socket
from datetime import UTC, datetime

import pytest

from finops.models import Trial
from ingest import trial as trials

AT = datetime(2026, 10, 25, 2, 2, tzinfo=UTC)  # two hours into the cases


def asked(url: str, **more: object) -> Trial:
    spec = {"url": url, "match": {}, "headers": {}} | more
    return Trial.objects.create(source={"prometheus": spec}, asked_by="ada", asked_at=AT)


def examined(trial: Trial) -> Trial:
    trials.run(trial.pk, at=AT)
    trial.refresh_from_db()
    return trial


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.django_db
def test_one_cluster(prometheus) -> None:
    trial = examined(asked(prometheus, match={"cluster": "plain"}))
    found = trial.found
    assert (trial.state, trial.problem, found["clusters"]) == ("done", "", None)
    assert found["gpus"] == [
        {"model": "NVIDIA A100-SXM4-40GB", "capacity_type": "on-demand", "pool": "gpu", "nodes": 1, "boards": 4}
    ]  # fmt: skip
    assert (found["nodes"], found["boards"], found["pods"]) == (1, 4, 1)
    assert abs(found["skew"]) < 5 and 20 < found["load"]["questions"] < 60 and found["load"]["bytes"] > 10_000
    assert found["span"] == [AT.timestamp() - 7320, AT.timestamp() - 120]
    assert {row["check"] for row in found["findings"]} >= {"sm_active"}


@pytest.mark.django_db
def test_labels_that_could_tell_teams_say_how_many_pods_they_cover(prometheus) -> None:
    found = examined(asked(prometheus, match={"cluster": "team_by_pod_label"})).found
    told = {(row["kind"], row["label"]): (row["pods"], row["values"], row["count"]) for row in found["candidates"]}
    assert told["from_namespace_label", "team"] == (2, ["platform"], 1)
    assert told["from_pod_label", "team"][1] == ["vision"]
    assert found["candidates"][0]["label"] == "team"


@pytest.mark.django_db
def test_several_clusters_behind_one_address_ask_for_a_match(prometheus) -> None:
    found = examined(asked(prometheus)).found
    assert found["clusters"]["label"] == "cluster"
    assert {"plain", "ksm_twice", "sentinels"} <= set(found["clusters"]["values"])


@pytest.mark.django_db
def test_a_match_that_nothing_bears_is_a_fault_with_its_cure(prometheus) -> None:
    trial = examined(asked(prometheus, match={"cluster": "nowhere"}))
    assert (trial.state, trial.found["nodes"], trial.found["span"]) == ("done", 0, None)
    faults = [row for row in trial.found["findings"] if row["level"] == "fault"]
    assert [row["check"] for row in faults] == ["match"] and "source.prometheus.match" in faults[0]["mend"]


@pytest.mark.django_db
def test_nobody_answers() -> None:
    trial = examined(asked(free_address()))
    assert trial.state == "failed" and "connection failed" in trial.problem and trial.found == {}


@pytest.mark.django_db
def test_a_credential_that_is_not_set_is_named_and_one_without_a_colon_too(monkeypatch) -> None:
    trial = examined(asked(free_address(), bearer_token_env="NO_SUCH_TOKEN"))
    assert trial.state == "failed" and "NO_SUCH_TOKEN is not set" in trial.problem
    monkeypatch.setenv("HALF_A_PASSWORD", "hunter2")
    trial = examined(asked(free_address(), basic_auth_env="HALF_A_PASSWORD"))
    assert "HALF_A_PASSWORD has no colon" in trial.problem and "hunter2" not in trial.problem


@pytest.mark.django_db
def test_an_answered_trial_is_not_examined_again(prometheus) -> None:
    trial = examined(asked(prometheus, match={"cluster": "plain"}))
    begun = trial.begun_at
    assert examined(trial).begun_at == begun
