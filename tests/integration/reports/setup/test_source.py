"""/setup/: the messages of the configuration file at the fields of the form, and a trial for what is sound."""

import socket
import time

import pytest
from celery import Celery

from finops.models import Trial
from ingest import tasks
from reports.pages.setup import hand_on


@pytest.mark.parametrize(
    ("posted", "field", "message"),
    [
        ({"url": ""}, "url", "the key &#x27;url&#x27; is missing"),
        ({"url": "prometheus:9090"}, "url", "is not an http or https address"),
        ({"url": "http://me:secret@p:9090"}, "url", "the address holds credentials"),
        ({"match": "cluster"}, "match", "is not of the form label=value"),
        ({"match": "my-cluster=a"}, "match", "is not a Prometheus label name"),
        ({"headers": "Authorization: Bearer x"}, "headers", "is a credential"),
        ({"bearer_token_env": "not a name"}, "bearer_token_env", "is not the name of an environment variable"),
        ({"timeout": "30"}, "timeout", "is not a duration"),
        ({"max_parallel": "0"}, "max_parallel", "is not a whole number from 1 to 1000"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(as_admin, posted, field, message) -> None:
    answer = as_admin.post("/setup/", {"url": "http://p:9090"} | posted)
    text = answer.content.decode()
    hint = text.split(f'id="hint_{field}"')[1].split("</p>")[0]
    assert answer.status_code == 400 and message in hint
    assert not Trial.objects.exists()


def test_both_credentials_are_no_fields_own_fault(as_admin) -> None:
    posted = {"url": "http://p:9090", "bearer_token_env": "A", "basic_auth_env": "B"}
    text = as_admin.post("/setup/", posted).content.decode()
    assert 'role="alert">names both bearer_token_env and basic_auth_env; keep one' in text


def test_a_sound_source_becomes_a_trial_and_is_handed_on(as_admin, django_capture_on_commit_callbacks) -> None:
    posted = {"url": "http://p:9090", "match": "cluster=a\nregion = eu", "headers": "X-Scope-OrgID: gpu", "timeout": "10s"}
    with django_capture_on_commit_callbacks(execute=True) as handed_on:
        answer = as_admin.post("/setup/", posted)
    trial = Trial.objects.get()
    spec = trial.source["prometheus"]
    assert answer.headers["Location"] == f"/setup/trial/{trial.pk}" and len(handed_on) == 1
    assert (spec["match"], spec["headers"], spec["timeout"]) == ({"cluster": "a", "region": "eu"}, {"X-Scope-OrgID": "gpu"}, 10.0)
    assert (trial.state, trial.asked_by) == ("asked", "ada")
    again = as_admin.get(f"/setup/?trial={trial.pk}").content.decode()
    assert "region=eu\ncluster=a" in again and 'value="10s"' in again and "X-Scope-OrgID: gpu" in again


def test_a_broker_out_of_reach_is_said_at_once(as_admin, django_capture_on_commit_callbacks, monkeypatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"redis://127.0.0.1:{free.getsockname()[1]}/0"
    monkeypatch.setattr(hand_on, "app", Celery("nobody", broker=nobody, set_as_current=False))
    began = time.monotonic()
    with django_capture_on_commit_callbacks(execute=True):
        as_admin.post("/setup/", {"url": "http://p:9090"})
    trial = Trial.objects.get()
    assert time.monotonic() - began < 10
    assert (trial.state, trial.problem) == ("failed", hand_on.UNREACHABLE)


def test_the_task_is_known_by_the_name_it_is_called() -> None:
    assert (tasks.examine.name, tasks.plan.name) == (hand_on.EXAMINE, hand_on.PLAN)
