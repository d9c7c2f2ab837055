"""A cluster is brought up to date by itself, from its source's oldest sample to now."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection

from finops import queries
from finops.models import Cluster
from finops.scope import Scope, Window
from ingest.catch_up import catch_up

CASES = Path(__file__).resolve().parents[2] / "cases"
CASE = json.loads((CASES / "expected.json").read_text())["plain"]
START, END = (datetime.fromtimestamp(CASE[key], UTC) for key in ("start", "end"))
HOURS = (CASE["end"] - CASE["start"]) // 3600

pytestmark = pytest.mark.django_db


def states() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("select state, count(*) from collection_window group by 1")
        return dict(cursor.fetchall())


def capacity() -> float:
    return float(queries.costs(Scope(Window(START, END))).total.hours("capacity"))


def test_a_prometheus_from_its_oldest_sample(prometheus) -> None:
    spec = {"url": prometheus, "match": {"cluster": "plain"}, "headers": {}}
    cluster = Cluster.objects.create(name="plain", source={"prometheus": spec})
    problems, waiting = catch_up(cluster, lane="oldest", clock=lambda: END + timedelta(minutes=2))
    assert (problems, waiting) == ([], 0)
    assert cluster.first_hour == START
    assert states() == {"done": HOURS}
    assert capacity() == pytest.approx(48, abs=0.04)
    with connection.cursor() as cursor:
        cursor.execute("select min(questions), min(source_bytes), min(source_seconds) from collection_window")
        assert all(figure > 0 for figure in cursor.fetchone())  # the load on the source is known


def test_a_turn_ends_and_says_what_still_waits(prometheus) -> None:
    spec = {"url": prometheus, "match": {"cluster": "plain"}, "headers": {}}
    cluster = Cluster.objects.create(name="plain", source={"prometheus": spec})
    times = iter([END + timedelta(minutes=2 + n) for n in range(20)])
    problems, waiting = catch_up(cluster, seconds=60, clock=lambda: next(times))
    assert problems == []
    assert (waiting, states()["done"]) == (HOURS - 6, 6)


def test_a_file_up_to_its_end_and_no_further(tmp_path) -> None:
    path = tmp_path / "dump.om"
    text = gzip.decompress((CASES / "metrics.om.gz").read_bytes()).decode().split("\n")
    path.write_text("\n".join(line for line in text if 'cluster="plain"' in line))
    cluster = Cluster.objects.create(name="audit", source={"openmetrics": {"path": str(path)}})
    problems, waiting = catch_up(cluster, clock=lambda: END + timedelta(days=9))
    assert (problems, waiting) == ([], 0)
    assert states() == {"done": HOURS}
    assert capacity() == pytest.approx(48, abs=0.04)


def test_an_unreachable_source_waits_without_losing_its_place() -> None:
    cluster = Cluster.objects.create(name="gone", source={"prometheus": {"url": "http://127.0.0.1:9", "match": {}, "headers": {}}})
    Cluster.objects.filter(pk=cluster.pk).update(first_hour=START)
    cluster.refresh_from_db()
    problems, waiting = catch_up(cluster, clock=lambda: START + timedelta(minutes=65))
    assert len(problems) == 1 and "http://127.0.0.1:9: connection failed" in problems[0]
    assert waiting == 0  # it pauses before the next try
    assert states() == {"failed": 2}


def test_the_running_hour_is_measured_as_far_as_it_is_read(prometheus) -> None:
    spec = {"url": prometheus, "match": {"cluster": "ksm_twice"}, "headers": {}}
    cluster = Cluster.objects.create(name="twice", source={"prometheus": spec})
    catch_up(cluster, clock=lambda: END - timedelta(hours=1) + timedelta(minutes=39))
    total = queries.costs(Scope(Window(END - timedelta(hours=1), END), filters={"cluster": ("twice",)})).total
    # A pod holds two of four GPUs and keeps them 60 % busy; the source has settled up to minute 37.
    assert float(total.hours("capacity")) == pytest.approx(4 * 37 / 60)
    assert float(total.hours("used")) == pytest.approx(0.6 * 2 * 37 / 60, rel=1e-6)
    assert float(total.hours("unmeasured")) == 0
