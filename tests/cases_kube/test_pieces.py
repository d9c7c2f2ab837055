"""However the hours are cut, what is asked about single pods and nodes gives the same ledger."""

from datetime import timedelta

import pytest
from django.db import connection

from finops import pipeline
from finops.models import Cluster
from ingest.collect import collect
from ingest.sources.openmetrics import open_file
from ingest.sources.prometheus import PrometheusSource
from tests.cases_kube.ground import Ground, thirds
from tests.cases_kube.test_nodes import AWS
from tests.fleet import TEN, minutes
from tests.prometheus_server import needed, serving

HOUR = timedelta(hours=1)
HOURS = [(TEN + HOUR * n, TEN + HOUR * (n + 1)) for n in range(3)]
FAR = "ip-10-0-0-3.ec2.internal"


def odd() -> Ground:
    """A pod of which only its phase tells a start, late in the first hour; an evicted one; a node that registers in the second."""
    ground = Ground().node(times=minutes(-20, 200)).node("n2", times=minutes(-20, 200))
    ground.bound("late", at=10, times=minutes(10, 200)).phase("late", "Pending", minutes(10, 57)).phase("late", "Running", minutes(57, 200))
    ground.put("kube_pod_container_state_started", {"namespace": "ml", "pod": "late", "uid": "uid-late", "container": "proxy"}, TEN.timestamp(), minutes(20, 50))
    ground.bound("evicted", node="n2", at=5, started=6, times=minutes(5, 200))
    ground.phase("evicted", "Running", minutes(5, 64)).phase("evicted", "Failed", minutes(64, 200))
    ground.told("kube_node_created", 30, {"node": FAR}, minutes(30, 200)).put("kube_node_labels", {"node": FAR, **AWS}, 1, minutes(30, 200))
    return ground.put("kube_node_status_capacity", {"node": FAR, "resource": "nvidia_com_gpu"}, 8, minutes(95, 200))


def lines(cluster: Cluster) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(
            """select l.hour, h.node, h.pod, l.capacity, l.used, l.idle, l.starting, l.unmeasured, l.unallocated
               from ledger_hour l join holding h on (h.cluster_id, h.key) = (l.cluster_id, l.holding) where l.cluster_id = %s order by 1, 2, 3""",
            [cluster.id],
        )
        return cursor.fetchall()


@pytest.mark.django_db
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_hours_at_once_and_in_any_order(order: tuple[int, ...], tmp_path) -> None:
    piecewise = odd().collected(tmp_path, hours=order)
    whole = Cluster.objects.create(name="whole", source={}, scrape_interval=60)
    assert collect(whole, HOURS, source=open_file(tmp_path / "fleet.om"), until=HOURS[-1][1], settled=HOURS[-1][1]) == []
    pipeline.account(whole)
    found = lines(piecewise)
    assert found == lines(whole)
    first = {(node, pod): (capacity, starting, unallocated) for hour, node, pod, capacity, _, _, starting, _, unallocated in found if hour == TEN}
    assert first == {
        ("n1", "late"): (*thirds(50, 47), 0), ("n1", ""): (*thirds(10), 0, *thirds(10)),
        ("n2", "evicted"): (*thirds(55, 1), 0), ("n2", ""): (*thirds(5), 0, *thirds(5)), (FAR, ""): (4, 0, 4),
    }  # fmt: skip
    second = {pod: capacity for hour, node, pod, capacity, *_ in found if hour == TEN + HOUR and node == "n2"}
    assert second == dict(zip(("evicted", ""), thirds(3.5, 56.5), strict=True))


@needed
@pytest.mark.django_db
def test_a_prometheus_is_asked_the_same(tmp_path) -> None:
    ground = odd()
    from_file = ground.collected(tmp_path, hours=(0, 1, 2))
    text = "\n".join([*sorted(ground.lines, key=lambda line: line.split("{")[0]), "# EOF", ""])
    asked = Cluster.objects.create(name="asked", source={}, scrape_interval=60)
    with serving(text, tmp_path) as url:
        assert collect(asked, HOURS, source=PrometheusSource(url), until=HOURS[-1][1], settled=HOURS[-1][1]) == []
    pipeline.account(asked)
    found = lines(asked)
    assert found == lines(from_file)
    assert {row[1] for row in found} == {"n1", "n2", FAR}
