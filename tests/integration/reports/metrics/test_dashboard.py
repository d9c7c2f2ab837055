"""The dashboard asks for what /metrics has, and a real Prometheus that reads it answers every panel."""

import json
import re
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from django.db import connection

from tests.integration.reports.company import open_company
from tests.integration.reports.metrics.conftest import NOW
from tests.integration.reports.metrics.served import serving
from tests.prometheus_server import free_port, needed, ready

FOLDER = Path(__file__).resolve().parents[4] / "deploy/grafana"
BOARD = json.loads((FOLDER / "gpu-costs.json").read_text())
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
QUERIES = [(f"{panel['title']} {target['refId']}", target["expr"]) for panel in PANELS for target in panel["targets"]]
VARIABLES = {variable["name"]: variable for variable in BOARD["templating"]["list"]}
OF_PROMETHEUS = {"job", "instance"}


def test_it_has_the_form_that_grafana_loads():
    assert BOARD["uid"] and BOARD["title"] and BOARD["schemaVersion"] >= 36 and BOARD.get("id") is None
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(ids)) == len(ids)
    for panel in PANELS:
        assert panel["title"] and panel["fieldConfig"]["defaults"]["unit"]
        refs = [target["refId"] for target in panel["targets"]]
        assert refs and len(set(refs)) == len(refs)
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {panel["datasource"]["uid"]} == {"$datasource"}


def test_no_two_panels_lie_on_each_other():
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["w"] > 0 and at["h"] > 0 and at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells


def test_every_variable_is_one():
    used = set(re.findall(r"\$(\w+)", (FOLDER / "gpu-costs.json").read_text())) - {"__all"}
    assert used == set(VARIABLES)


def test_it_is_where_grafana_looks():
    compose = yaml.safe_load((FOLDER.parents[1] / "docker-compose.yml").read_text())
    mounted = dict(volume.split(":")[:2] for volume in compose["services"]["grafana"]["volumes"])
    provider = yaml.safe_load((FOLDER / "dashboards.yml").read_text())["providers"][0]
    assert mounted["./deploy/grafana/gpu-costs.json"].startswith(provider["options"]["path"] + "/")
    assert mounted["./deploy/grafana/dashboards.yml"].startswith("/etc/grafana/provisioning/dashboards/")


def asked(expression: str) -> set[tuple[str, frozenset[str]]]:
    """Each metric of a query with the labels it is chosen by."""
    found = re.findall(r"(finops_\w+)(?:\{([^}]*)\})?", expression)
    return {(name, frozenset(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels))) for name, labels in found}


@pytest.mark.usefixtures("one_day")
def test_every_metric_and_label_exists(scrape, bearer, all_seeing):
    with connection.cursor() as cursor:
        cursor.execute("""insert into collection_window (cluster_id, start, "end", collected_at, accounted_at)
                          select id, '2026-11-16 00:00Z', '2026-11-16 01:00Z', now(), now() from finops_cluster""")
    there = {name: {label for labels, _ in samples for label in labels} for name, samples in scrape(bearer(all_seeing, "metrics")).items()}
    texts = [expression for _, expression in QUERIES] + [
        variable["query"]["query"] for variable in VARIABLES.values() if variable["type"] == "query"
    ]
    used = {pair for text in texts for pair in asked(text)}
    for name, labels in used:
        assert labels - OF_PROMETHEUS <= there.get(name, set()), name
    for _, expression in QUERIES:
        named = {label for names in re.findall(r"by \(([^)]*)\)", expression) for label in re.split(r",\s*", names)}
        assert named <= set().union(*(there[name] for name, _ in asked(expression))), expression
    assert {name for name, _ in used} == set(there), "a metric that no panel shows"


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[str]:
    """A Prometheus that has read the company's /metrics, by the file that deploy/grafana brings."""
    folder = tmp_path_factory.mktemp("prometheus")
    with pytest.MonkeyPatch.context() as patched, serving(django_db_blocker, scopes=["metrics"], fill=_company) as (url, token):
        patched.setattr("finops.times.now", lambda: NOW)
        (folder / "token").write_text(token + "\n")
        job = yaml.safe_load((FOLDER / "prometheus.yml").read_text())["scrape_configs"][0]
        assert job["authorization"].pop("credentials_file") == "/etc/prometheus/scrape/token"
        job |= {"scrape_interval": "1s", "static_configs": [{"targets": [url.removeprefix("http://")]}]}
        job["authorization"]["credentials_file"] = str(folder / "token")
        (folder / "prometheus.yml").write_text(yaml.safe_dump({"scrape_configs": [job]}))
        with running(folder) as address:
            wait(lambda: answer(address, 'finops_ledger_cost{job="gpu-costs"}'), what="the first scrape")
            yield address


def _company() -> None:
    open_company(NOW, days=20)
    with connection.cursor() as cursor:
        cursor.execute("""update collection_window set collected_at = "end", accounted_at = "end" """)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a Prometheus by the folder's prometheus.yml."""
    address = f"127.0.0.1:{free_port()}"
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", f"--web.listen-address={address}"],
            cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        wait(lambda: ready(f"http://{address}"), what="Prometheus")
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait(until, *, what: str) -> None:
    deadline = time.monotonic() + 40
    while not until():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.2)


def answer(address: str, expression: str) -> list[dict]:
    with urllib.request.urlopen(f"{address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}", timeout=10) as found:
        return json.load(found)["data"]["result"]


def filled(expression: str, address: str, period: str) -> str:
    instance = answer(address, "finops_build_info")[0]["metric"]["instance"]
    for name, value in {"job": "gpu-costs", "instance": instance, "period": period, "team": ".*"}.items():
        expression = expression.replace(f"${name}", value)
    return expression


@needed
@pytest.mark.django_db
@pytest.mark.parametrize("period", [option["value"] for option in VARIABLES["period"]["options"]])
@pytest.mark.parametrize(("name", "expression"), QUERIES, ids=[name for name, _ in QUERIES])
def test_a_real_prometheus_answers_every_panel(prometheus, name, expression, period):
    found = answer(prometheus, filled(expression, prometheus, period))
    assert found and all(series["value"][1] != "NaN" for series in found)


@needed
@pytest.mark.django_db
def test_its_sums_are_the_ledgers(prometheus):
    """36 × 1.40 + 4 × 2.40 + 12 × 0.60 a day's hour, since pools that stay are paid whoever holds them: (50.4 + 9.6 + 7.2) × 24 = 1612.80;
    the spot pool's nodes come and go with their pods: two of 0.50 for the twelve hours of a working day, 12.00."""
    total = answer(prometheus, 'sum(finops_ledger_cost{period="yesterday"})')
    assert float(total[0]["value"][1]) == pytest.approx(1624.8, abs=1e-6)
