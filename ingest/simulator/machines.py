"""What kube-state-metrics prints of the nodes, with the labels GPU feature discovery and Karpenter leave on them."""

from collections.abc import Iterator
from functools import lru_cache

from ingest.simulator.fleet import MEMORY, POOLS, Node
from ingest.simulator.series import Labels, Span, named


@lru_cache(maxsize=512)
def of_node(node: Node) -> tuple[Span, ...]:
    """Every series of one node, for its whole life."""
    return tuple(_spans(node))


def _spans(node: Node) -> Iterator[Span]:
    mine = {"node": node.name}
    for name, labels, value in (
        ("kube_node_info", mine | _info(node), 1.0),
        ("kube_node_created", mine, node.joined),
        ("kube_node_labels", mine | _labels(node), 1.0),
        ("kube_node_spec_unschedulable", mine, 0.0),
        ("kube_node_status_condition", mine | {"condition": "Ready", "status": "true"}, 1.0),
    ):
        yield Span(named(name, labels), node.joined, node.left, value)
    units = [(resource, "integer", float(n)) for resource, n in node.capacity().items()]
    for resource, unit, value in [*units, ("cpu", "core", 48.0), ("memory", "byte", 2.0**38)]:
        for name in ("kube_node_status_capacity", "kube_node_status_allocatable"):
            yield Span(named(name, mine | {"resource": resource, "unit": unit}), node.joined, node.left, value)


def _info(node: Node) -> Labels:
    return {
        "kernel_version": "6.8.0-49", "os_image": "Ubuntu 24.04.1 LTS", "container_runtime_version": "containerd://2.0.5",
        "kubelet_version": "v1.34.2", "kubeproxy_version": "deprecated", "provider_id": f"demo:///{node.uid}",
        "pod_cidr": "", "system_uuid": node.uid, "internal_ip": node.address,
    }  # fmt: skip


def _labels(node: Node) -> Labels:
    product = node.model.replace(" ", "-") + ("-SHARED" if node.replicas > 1 else "")
    found = {
        "karpenter_sh_capacity_type": node.capacity_type, "karpenter_sh_nodepool": node.pool, "kubernetes_io_hostname": node.name,
        "node_kubernetes_io_instance_type": POOLS[node.pool][1], "nvidia_com_gpu_count": "4",
        "nvidia_com_gpu_memory": f"{MEMORY[node.model]:.0f}", "nvidia_com_gpu_product": product,
        "nvidia_com_gpu_replicas": str(node.replicas), "topology_kubernetes_io_zone": "zrh-1",
    }  # fmt: skip
    if node.mig:
        found["nvidia_com_mig_strategy"] = "mixed"
    return {f"label_{name}": value for name, value in sorted(found.items())}
