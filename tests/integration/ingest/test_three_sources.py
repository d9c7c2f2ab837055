"""The same samples through Prometheus, a file and scraped pages give the same ledger."""

import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

from finops import pipeline, queries
from finops.models import Cluster, Rate, TeamRule
from finops.scope import Scope, Window
from ingest.collect import collect
from ingest.open import open_source
from ingest.scrapes import keep
from ingest.sources.exposition import split

CASES = Path(__file__).resolve().parents[2] / "cases"
KNOWN = json.loads((CASES / "expected.json").read_text())


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """The cases' samples, a list of lines per cluster."""
    found = defaultdict(list)
    for line in gzip.decompress((CASES / "metrics.om.gz").read_bytes()).decode().split("\n"):
        if 'cluster="' in line and not line.startswith("#"):
            found[line.split('cluster="', 1)[1].split('"', 1)[0]].append(line)
    return found


def pages(cluster: Cluster, lines: list[str]) -> None:
    """What a scraper would have seen: one page per exporter and instant, without timestamps."""
    seen = defaultdict(list)
    for line in lines:
        series, value, time = split(line)
        instance = line.split('instance="', 1)[1].split('"', 1)[0]
        seen[time, f"http://{instance}/metrics"].append(f"{series} {value}")
    for (time, target), page in seen.items():
        keep(cluster, target, datetime.fromtimestamp(time, UTC), "\n".join(page))


def bill(cluster: Cluster, case: dict) -> list[dict]:
    start, end = (datetime.fromtimestamp(case[key], UTC) for key in ("start", "end"))
    hours = [(datetime.fromtimestamp(t, UTC), datetime.fromtimestamp(t + 3600, UTC)) for t in range(case["start"], case["end"], 3600)]
    assert collect(cluster, hours, source=open_source(cluster), until=end, settled=end) == []
    pipeline.account(cluster)
    scope = Scope(Window(start, end), ("team", "job", "pod", "node", "gpu_model"), "hour", {"cluster": (cluster.name,)})
    return [{key: value for key, value in row.as_json().items() if key != "cluster"} for row in queries.costs(scope).rows]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["plain", "time_slicing", "completed_pods_linger", "ksm_twice"])
def test_one_ledger(name: str, lines, prometheus, tmp_path) -> None:
    Rate.objects.create(price="2.50", currency="CHF")
    assert len(_bill_of_each(name, lines, prometheus, tmp_path)) >= (KNOWN[name]["end"] - KNOWN[name]["start"]) // 3600


@pytest.mark.django_db
def test_one_price_of_an_instance(lines, prometheus, tmp_path) -> None:
    """Four boards weigh 4, 64 cpus 64 × 0.03125 = 2: two thirds of 12.00 are the boards', 2.00 each."""
    weights = {"gpu": "1", "cpu": "0.03125", "memory": "0"}
    Rate.objects.create(instance_price="12.00", instance_type="x.large", weights=weights, currency="CHF")
    rows = _bill_of_each("plain", lines, prometheus, tmp_path)
    assert {row["cost_per_allocated_gpu_hour"] for row in rows} - {None} == {"2.0000000000"}


def _bill_of_each(name: str, lines, prometheus, tmp_path) -> list[dict]:
    """The bill, which all three sources agree about."""
    case = KNOWN[name]
    TeamRule.objects.create(position=0, kind="from_namespace_label", label="team")
    packed = tmp_path / "dump.om.gz"
    packed.write_bytes(gzip.compress(("\n".join(lines[name]) + "\n# EOF\n").encode()))
    sources = {
        "prometheus": {"url": prometheus, "match": {"cluster": name}, "headers": {}},
        "openmetrics": {"path": str(packed)},
        "exporters": {"dcgm": [], "kube_state_metrics": []},
    }
    bills = {}
    for kind, spec in sources.items():
        cluster = Cluster.objects.create(name=kind, source={kind: spec}, scrape_interval=float(case["step"]))
        if kind == "exporters":
            pages(cluster, lines[name])
        bills[kind] = bill(cluster, case)
    assert bills["openmetrics"] == bills["prometheus"]
    assert bills["exporters"] == bills["prometheus"]
    return bills["prometheus"]
