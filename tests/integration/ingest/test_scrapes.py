"""Pages of exporters that do not answer, or answer something else, beside those that do."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection

from finops.models import Cluster
from ingest.collect import collect
from ingest.open import open_source
from ingest.scrapes import keep, prune, scrape
from tests.hostile import hostile

NOW = datetime(2026, 10, 6, 10, tzinfo=UTC)
PAGE = b'# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",Hostname="n1"} 50\ngo_threads 7\n'
pytestmark = pytest.mark.django_db


def cluster(urls: list[str], **more) -> Cluster:
    source = {"exporters": {"dcgm": [[url, None] for url in urls], "kube_state_metrics": []}}
    return Cluster.objects.create(name="lab", source=source, **more)


def kept() -> dict[str, tuple[bool, str]]:
    """Whether there is a page, and the reason where there is none, by target."""
    with connection.cursor() as cursor:
        cursor.execute("select target, page is not null, problem from scrape")
        return {target: (page, problem) for target, page, problem in cursor.fetchall()}


def silence(handler) -> None:
    time.sleep(3)


def test_pages_that_answer_are_kept_though_others_hang() -> None:
    with hostile(lambda request, number: silence if request.path == "/silent" else (200, {}, PAGE)) as server:
        urls = [f"{server.url}/silent?{n}" for n in range(100)] + [f"{server.url}/metrics"]
        began = time.monotonic()
        problems = scrape(cluster(urls), now=NOW, seconds=4.5)
        assert time.monotonic() - began < 6
    found = kept()
    assert found.pop(f"{server.url}/metrics") == (True, "")
    assert len(found) == 100 and all(not page and reason for page, reason in found.values())
    assert problems


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, b"<html>log in</html>"), "no exposition text"),
        ((200, {}, b"\xff\xfe"), "not text"),
        ((200, {}, b"# TYPE x gauge\nDCGM_FI_DEV_GPU_UTIL{UUID=} x\n"), "is no sample"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "answered 302"),
        ((200, {"Content-Encoding": "br"}, b"x"), "encoding 'br'"),
        ((500, {}, b""), "answered 500"),
    ],
)
def test_junk_is_told_and_never_kept(answer, said: str) -> None:
    with hostile(lambda request, number: answer) as server:
        (problem,) = scrape(cluster([f"{server.url}/metrics"]), now=NOW)
    assert said in problem
    assert kept() == {f"{server.url}/metrics": (False, problem.split(": ", 1)[1])}


def card_and_pod(row: Cluster, minutes: range) -> None:
    """A pod on a busy card, a page a minute from ten o'clock."""
    labels = 'namespace="ml",pod="a",uid="u"'
    page = "\n".join([
        'kube_node_status_capacity{node="n1",resource="nvidia_com_gpu"} 1', f"kube_pod_status_scheduled_time{{{labels}}} {NOW.timestamp() - 86400}",
        f'kube_pod_container_resource_requests{{{labels},container="m",node="n1",resource="nvidia_com_gpu"}} 1',
        f'kube_pod_container_state_started{{{labels},container="m"}} {NOW.timestamp() - 86400}',
        'DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",Hostname="n1",exported_pod="a",exported_namespace="ml"} 50',
    ])  # fmt: skip
    for n in minutes:
        keep(row, "http://n1:9400/metrics", NOW + timedelta(minutes=n), page)


def seconds() -> tuple[float, float]:
    """Held and measured."""
    with connection.cursor() as cursor:
        cursor.execute("select sum(held_seconds), sum(measured_seconds) from use_quarter")
        return cursor.fetchone()


def test_pages_come_once_a_minute_whatever_interval_is_configured() -> None:
    """With 15 s each sample would speak for 22.5 s each way, and a quarter of every minute would be unmeasured."""
    row = cluster(["http://n1:9400/metrics"], scrape_interval=15)
    card_and_pod(row, range(-15, 75))
    end = NOW + timedelta(hours=1)
    assert collect(row, [(NOW, end)], source=open_source(row), until=end, settled=end) == []
    assert seconds() == (3600, 3600)


def test_an_hour_whose_pages_are_half_dropped_stays_as_it_is() -> None:
    row = cluster(["http://n1:9400/metrics"])
    card_and_pod(row, range(-15, 135))
    hours = [(NOW + timedelta(hours=n), NOW + timedelta(hours=n + 1)) for n in (0, 1)]
    assert collect(row, hours, source=open_source(row), until=hours[1][1], settled=hours[1][1]) == []
    prune(row, now=NOW + timedelta(hours=6, minutes=30))
    call_command("collect", "--start", "2026-10-06T10:00", "--end", "2026-10-06T12:00")
    assert seconds() == (7200, 7200)
