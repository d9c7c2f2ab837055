"""From a series to its node, and series that come twice."""

import pytest

from tests.cases_dcgm.scraped import GPU, Scraped, bill, hours
from tests.cases_opencost.ground import cluster
from tests.fleet import A100

pytestmark = pytest.mark.django_db
EXPORTER = {"pod": "dcgm-exporter-x7k2p", "namespace": "gpu-operator"}


def board(fleet: Scraped, labels: dict[str, str], value: float = 0.5, uuid: str = "GPU-1", **more: str) -> Scraped:
    return fleet.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {"UUID": uuid, "modelName": A100, **labels, **more}, value)


def two_nodes() -> Scraped:
    """The same pod could be on either; only the place of its board tells."""
    fleet = Scraped().node("n1.example.net").node("n2.example.net").hold("ml", "a", node="n1.example.net").hold("ml", "b", node="n2.example.net")
    fleet.exporter("dcgm-exporter-x7k2p", node="n1.example.net", address="10.42.5.9")
    return fleet.put("kube_node_info", {"node": "n1.example.net", "internal_ip": "192.168.0.7", "system_uuid": "m1"}, 1)


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"Hostname": "dcgm-exporter-x7k2p"}, id="D60"),
        pytest.param({"Hostname": "nvidia-dcgm"} | EXPORTER, id="D61-pod"),
        pytest.param({"Hostname": "localhost", "instance": "10.42.5.9:9400"}, id="D61-instance"),
        pytest.param({"Hostname": "n1.example.net"}, id="D62-Hostname"),
        pytest.param({"hostname": "n1.example.net"}, id="D62"),
        pytest.param({"hostname": "n1"}, id="D62-short"),
        pytest.param(EXPORTER, id="D63"),
        pytest.param({"instance": "10.42.5.9:9400"}, id="D63-address"),
        pytest.param({"instance": "192.168.0.7:9400"}, id="D63-host-network"),
        pytest.param({"node": "n1.example.net", "Hostname": "nvidia-dcgm"}, id="D10"),
    ],
)
def test_the_node_of_a_series(labels: dict, tmp_path) -> None:
    """No pod is named: on the right node the board is its only holder's, on any other it is not."""
    board(two_nodes(), labels).collected(tmp_path)
    assert hours("allocated", "used", "unmeasured") == {"a": (1, 0.5, 0), "b": (1, 0, 1)}


def test_half_the_fleet_upgraded(tmp_path) -> None:
    """D62: Hostname on one node, hostname on the other."""
    fleet = board(two_nodes(), {"Hostname": "n1.example.net"}, 0.25)
    board(fleet, {"hostname": "n2.example.net"}, 0.75, "GPU-2").collected(tmp_path)
    assert hours("used", "unmeasured") == {"a": (0.25, 0), "b": (0.75, 0)}


def test_every_nodes_first_board_has_one_index(tmp_path) -> None:
    """D61: gpu="0" and one host name everywhere; the boards are told by their UUIDs."""
    fleet = two_nodes().exporter("dcgm-exporter-9", node="n2.example.net", address="10.42.6.9")
    board(fleet, {"Hostname": "nvidia-dcgm", "gpu": "0", "instance": "10.42.5.9:9400"}, 0.25)
    board(fleet, {"Hostname": "nvidia-dcgm", "gpu": "0", "instance": "10.42.6.9:9400"}, 0.75, "GPU-2").collected(tmp_path)
    assert hours("used", "unmeasured") == {"a": (0.25, 0), "b": (0.75, 0)}
    assert bill().total.capacity_gpu_hours == 2


def test_a_pod_name_in_two_namespaces(tmp_path) -> None:
    """D61, D15: with honor_labels a busy board bears its pod's name alone; two teams each have a db-0."""
    fleet = Scraped().node("n1").node("n2").hold("team-a", "db-0", node="n1", uid="u1").hold("team-b", "db-0", node="n2", uid="u2")
    for namespace, node, uid in (("team-a", "n1", "u1"), ("team-b", "n2", "u2")):
        fleet.put("kube_pod_info", {"namespace": namespace, "pod": "db-0", "uid": uid, "node": node}, 1)
    board(fleet, {"Hostname": "nvidia-dcgm", "pod": "db-0", "namespace": "team-a"}, 0.25)
    board(fleet, {"Hostname": "nvidia-dcgm", "pod": "db-0", "namespace": "team-b"}, 0.75, "GPU-2").collected(tmp_path)
    assert hours("used", "unmeasured", by="namespace") == {"team-a": (0.25, 0), "team-b": (0.75, 0)}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"job": "chart"}, {"job": "operator"}, id="D64-two-exporters"),
        pytest.param({"replica": "0"}, {"replica": "1"}, id="D64-pair"),
        pytest.param({"job": "chart"}, {"job": "operator", "exported_pod": "", "exported_namespace": ""}, id="D64-one-labelled"),
        pytest.param({"hpc_job": "481516"}, {"hpc_job": "481999"}, id="D66"),
        pytest.param({"dra_claim_name": "c1"}, {"dra_claim_name": "c2"}, id="D66-claims"),
        pytest.param({"vgpu": "2"}, {"vgpu": "3"}, id="D17-slots"),
    ],
)
@pytest.mark.parametrize("offset", [0, 17])
def test_a_board_told_twice_is_one(first: dict, second: dict, offset: int, tmp_path) -> None:
    """At the same instants or between each other's, at once a label set of its own."""
    fleet = Scraped().node(**{GPU: 2}).hold("ml", "a")
    named = {"Hostname": "n1", "exported_pod": "a", "exported_namespace": "ml"}
    board(fleet, named | first)
    fleet.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {"UUID": "GPU-1", "modelName": A100} | named | second, 0.5, range(-1200 + offset, 8400, 60))
    fleet.collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"a": (1, 0.5, 0, 0), "": (0, 0, 0, 1)}


@pytest.mark.parametrize("offset", [1, 5, 29, 30])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"job": "chart"}, {"job": "operator"}, id="D64-two-exporters"),
        pytest.param({"instance": "10.0.0.1:9400"}, {"instance": "10.0.0.1:9401"}, id="D64-two-ports"),
        pytest.param({"replica": "0"}, {"replica": "1"}, id="D64-pair"),
    ],
)
def test_two_that_scrape_close_together_do_not_scrape_often(first: dict, second: dict, offset: int, tmp_path) -> None:
    """No interval is configured: the spacing is each one's own, so that every sample reaches half a minute and more."""
    cluster(interval=None)
    fleet = Scraped().node(**{GPU: 2}).hold("ml", "a")
    named = {"Hostname": "n1", "exported_pod": "a", "exported_namespace": "ml"}
    board(fleet, named | first)
    fleet.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {"UUID": "GPU-1", "modelName": A100} | named | second, 0.5, range(-1200 + offset, 8400, 60))
    fleet.collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"a": (1, 0.5, 0, 0), "": (0, 0, 0, 1)}
