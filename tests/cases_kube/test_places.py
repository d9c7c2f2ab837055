"""From a device's series to its node, by whatever the exporter and its scrape tell."""

import pytest

from ingest.tidy.devices import devices
from tests.cases_kube.reading import answers, series

START = 1_790_000_000 - 1_790_000_000 % 3600
TIMES = range(START, START + 3600, 60)
NODES = {"gpu-1.a.example", "gpu-2.a.example", "gpu-3.a.example", "gpu-3.b.example", "machine-7"}


def about() -> list[str]:
    """Pods and nodes of the cluster: the exporter on gpu-2, two pods of one name on two nodes, an address that moved on."""
    lines: list[str] = []
    for space, pod, address, host, node in (
        ("gpu-operator", "dcgm-x7k2p", "10.1.2.9", "10.0.0.2", "gpu-2.a.example"),
        ("ml", "train-0", "10.1.1.4", "10.0.0.1", "gpu-1.a.example"),
        ("web", "train-0", "10.1.2.5", "10.0.0.2", "gpu-2.a.example"),
        ("ml", "gone", "10.1.9.9", "10.0.0.1", "gpu-1.a.example"),
        ("web", "came", "10.1.9.9", "10.0.0.2", "gpu-2.a.example"),
    ):
        labels = {"namespace": space, "pod": pod, "uid": f"{space}-{pod}", "pod_ip": address, "host_ip": host, "node": node}
        lines += series("kube_pod_info", labels, 1, TIMES)
    for n, node in enumerate(sorted(NODES), 1):
        lines += series("kube_node_info", {"node": node, "internal_ip": f"10.0.0.{n}", "system_uuid": node}, 1, TIMES)
    return lines + series("kube_node_labels", {"node": "machine-7", "label_kubernetes_io_hostname": "rack-7"}, 1, TIMES)


@pytest.mark.parametrize(("labels", "node"), [
    pytest.param({"node": "gpu-1.a.example", "Hostname": "gpu-2.a.example"}, "gpu-1.a.example", id="target's label first"),
    pytest.param({"node": "elsewhere", "Hostname": "gpu-2.a.example"}, "gpu-2.a.example", id="target's label that is no node"),
    pytest.param({"Hostname": "gpu-2.a.example"}, "gpu-2.a.example", id="host name"),
    pytest.param({"hostname": "gpu-2.a.example"}, "gpu-2.a.example", id="host name in small letters"),
    pytest.param({"Hostname": "gpu-2"}, "gpu-2.a.example", id="short host name"),
    pytest.param({"Hostname": "gpu-2.other.example"}, "gpu-2.a.example", id="host name in another domain"),
    pytest.param({"Hostname": "gpu-3.b.example"}, "gpu-3.b.example", id="whole name before short name"),
    pytest.param({"Hostname": "gpu-3"}, "", id="short name of two nodes"),
    pytest.param({"Hostname": "rack-7"}, "machine-7", id="node's own hostname label"),
    pytest.param({"Hostname": "dcgm-x7k2p"}, "gpu-2.a.example", id="exporter's pod as host name"),
    pytest.param({"Hostname": "train-0"}, "", id="pod name of two namespaces as host name"),
    pytest.param({"pod": "dcgm-x7k2p", "namespace": "gpu-operator"}, "gpu-2.a.example", id="exporter's pod"),
    pytest.param({"pod": "train-0", "namespace": "ml"}, "gpu-1.a.example", id="workload's pod, one of two of that name"),
    pytest.param({"instance": "10.1.2.9:9400"}, "gpu-2.a.example", id="pod's address"),
    pytest.param({"instance": "10.0.0.1:9400"}, "gpu-1.a.example", id="node's address"),
    pytest.param({"instance": "10.1.9.9:9400"}, "", id="address of two nodes in turn"),
    pytest.param({"Hostname": "nvidia-dcgm", "instance": "10.0.0.1:9400"}, "gpu-1.a.example", id="a word that every node says"),
    pytest.param({"Hostname": "localhost", "pod": "dcgm-x7k2p", "namespace": "gpu-operator"}, "gpu-2.a.example", id="localhost"),
    pytest.param({"Hostname": "nvidia-dcgm"}, "", id="a word that every node says, alone"),
])  # fmt: skip
def test_node_of_a_device(labels: dict, node: str, tmp_path) -> None:
    lines = about() + series("DCGM_FI_DEV_GPU_UTIL", {"UUID": "GPU-1", "gpu": "0", "modelName": "T4", **labels}, 40, TIMES)
    (device,) = devices(answers(lines, tmp_path, start=START), set(), NODES, configured=60)
    assert device.node == node


def test_two_nodes_that_say_the_same_word_are_two_boards(tmp_path) -> None:
    lines = about()
    for n in (1, 2):
        labels = {"UUID": f"GPU-{n}", "gpu": "0", "modelName": "T4", "Hostname": "nvidia-dcgm", "instance": f"10.0.0.{n}:9400"}
        lines += series("DCGM_FI_DEV_GPU_UTIL", labels, 40, TIMES)
    found = devices(answers(lines, tmp_path, start=START), set(), NODES, configured=60)
    assert {device.uuid: device.node for device in found} == {"GPU-1": "gpu-1.a.example", "GPU-2": "gpu-2.a.example"}
