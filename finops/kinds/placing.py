"""Faults of place and capacity: how many GPUs a node has, which of them a pod holds, and whether any pod can."""

from finops.kinds.kind import Kind
from finops.kinds.naming import HONOR

KINDS = (
    Kind(
        "over_committed", "Leases above the capacity",
        "leases were scaled down to the GPUs there are: each is charged less than it says it holds",
        "kube-state-metrics: one instance, or shards that are all up: one that lost the API server goes on showing pods that are gone",
        "fault", True,
    ),
    Kind(
        "unknown_node", "Pods on an unknown node",
        "their leases are charged to no node: hours and money are missing",
        f"{HONOR}; kube-state-metrics: --resources must hold nodes",
        "fault", True,
    ),
    Kind(
        "no_capacity", "Node that tells of no GPU capacity",
        "its capacity is the boards that are seen on it or that its labels count; what neither tells of is missing",
        "device plugin: tolerations: - {operator: Exists}, so that its DaemonSet runs on $node",
    ),
    Kind(
        "unknown_model", "Pod whose GPU model nothing tells",
        "it was charged by the boards that were free: its price may be another model's",
        'dcgm-exporter: env: - {name: DCGM_EXPORTER_KUBERNETES, value: "true"}, so that series name the pods on $node',
        "warn", True,
    ),
    Kind(
        "unhealthy_gpus", "GPUs that Kubernetes gives to nobody",
        "they are paid for and count as unallocated, and no pod can have them",
        "kubectl describe node $node: the device plugin's events name the GPU; kubectl drain it and have its driver looked at",
    ),
    Kind(
        "stranded_slices", "MIG slices that no profile reaches",
        "they count as unallocated, and no pod can have them",
        "mig-parted: a layout of $node whose profiles add up to all of its slices",
        "note",
    ),
)  # fmt: skip
