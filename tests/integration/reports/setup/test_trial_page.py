"""/setup/trial/<number>: waiting, failing, several clusters, and the cluster that is made of it."""

import re
from datetime import UTC, datetime, timedelta

from finops import setup
from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.configuration.specs import PrometheusSpec
from finops.export import configuration
from finops.models import Cluster, Setting, Trial
from ingest import trial as trials

SPEC = PrometheusSpec("http://p:9090")


def waiting(seconds: int, **more: object) -> Trial:
    trial = setup.ask(SPEC, by="ada", now=datetime.now(UTC) - timedelta(seconds=seconds))
    Trial.objects.filter(pk=trial.pk).update(**more)
    return trial


def page(client, trial: Trial, **headers: str) -> str:
    return client.get(f"/setup/trial/{trial.pk}", headers=headers).content.decode()


def test_a_young_question_waits_and_polls(as_admin, db) -> None:
    text = page(as_admin, waiting(3))
    assert "Waiting for a worker" in text and 'hx-trigger="every 2s"' in text and ">Refresh</a>" in text


def test_after_15_seconds_it_names_the_cure_and_goes_on_polling(as_admin, db) -> None:
    text = page(as_admin, waiting(16))
    assert "No worker has taken this up" in text and "celery -A finops worker" in text and "every 2s" in text


def test_a_worker_that_fell_silent_is_told(as_admin, db) -> None:
    begun = datetime.now(UTC) - timedelta(seconds=200)
    assert "The worker fell silent" in page(as_admin, waiting(210, state="running", begun_at=begun))


def test_a_failure_is_shown_with_its_reason_and_tried_again(as_admin, db) -> None:
    trial = waiting(3, state="failed", problem="http://p:9090: connection failed")
    assert "connection failed" in page(as_admin, trial)
    answer = as_admin.post(f"/setup/trial/{trial.pk}", {"do": "again"})
    again = Trial.objects.latest("pk")
    assert again.pk != trial.pk and answer.headers["Location"] == f"/setup/trial/{again.pk}" and again.source == trial.source


def test_several_clusters_ask_which_one_is_meant(as_admin, prometheus) -> None:
    at = datetime(2026, 10, 25, 2, 2, tzinfo=UTC)
    trial = setup.ask(PrometheusSpec(prometheus), by="ada", now=at)
    trials.run(trial.pk, at=at)
    text = page(as_admin, trial)
    assert "clusters answer behind this address" in text and "<option>plain</option>" in text and "Collect from this source" not in text
    as_admin.post(f"/setup/trial/{trial.pk}", {"do": "match", "value": "plain"})
    assert Trial.objects.latest("pk").source["prometheus"]["match"] == {"cluster": "plain"}
    assert "Collect from this source" in as_admin.get(f"/setup/trial/{trial.pk}?whole=1").content.decode()


def test_what_was_found_is_told(as_admin, tried) -> None:
    text = page(as_admin, tried)
    assert "<b>4 GPUs</b> on <b>1 node</b>" in text and "NVIDIA A100-SXM4-40GB" in text
    assert "DCGM_FI_PROF_SM_ACTIVE, gauge" in text and "no effective use is shown" in text
    assert "2 of 3" in text and re.search(r"One hour took \d\d questions", text)


def test_a_name_makes_a_cluster_and_an_exported_file_changes_nothing(as_admin, tried) -> None:
    posted = {"do": "connect", "name": "eks", "timezone": "Europe/Zurich", "currency": "EUR"}
    answer = as_admin.post(f"/setup/trial/{tried.pk}", posted)
    assert answer.headers["Location"] == "/setup/collecting/eks"
    row, setting = Cluster.objects.get(), Setting.objects.get()
    assert (row.name, row.source, setting.timezone, setting.currency) == ("eks", tried.source, "Europe/Zurich", "EUR")
    now = datetime.now(UTC)
    file = dump(configuration(now=now))
    assert "match:\n        cluster: team_by_pod_label" in file
    assert apply(parse(file), now=now) == []


def test_a_second_cluster_leaves_the_first_alone(as_admin, tried) -> None:
    for name in ("eks", "lab"):
        as_admin.post(f"/setup/trial/{tried.pk}", {"do": "connect", "name": name, "timezone": "UTC", "currency": "CHF"})
    assert list(Cluster.objects.filter(ended_at=None).order_by("id").values_list("name", flat=True)) == ["eks", "lab"]


def test_a_name_that_is_taken_or_none_is_refused_in_one_line(as_admin, collected, tried) -> None:
    taken = as_admin.post(f"/setup/trial/{tried.pk}", {"do": "connect", "name": "eks"})
    assert taken.status_code == 400 and "a cluster &#x27;eks&#x27; exists already; choose another name" in taken.content.decode()
    none = as_admin.post(f"/setup/trial/{tried.pk}", {"do": "connect", "name": ""})
    assert none.status_code == 400 and Cluster.objects.count() == 1


def test_a_wrong_zone_is_named(as_admin, tried) -> None:
    posted = {"do": "connect", "name": "eks", "timezone": "Europe/Zürich", "currency": "CHF"}
    answer = as_admin.post(f"/setup/trial/{tried.pk}", posted)
    assert answer.status_code == 400 and "Time zone: " in answer.content.decode() and "Europe/Zurich" in answer.content.decode()
    assert not Cluster.objects.exists()
