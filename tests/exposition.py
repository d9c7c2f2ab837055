"""A small healthy GPU cluster as OpenMetrics text, for tests to break."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

MODEL = "NVIDIA A100-SXM4-40GB"


@dataclass(frozen=True, slots=True)
class Series:
    """`value` is constant over `times`, or a function of the place in them."""

    name: str
    labels: dict[str, str]
    value: float | Callable[[int], float] = 1
    times: Sequence[float] = field(default_factory=tuple)

    def having(self, **labels: str) -> "Series":
        """With these labels; one that is "" is taken away. A trailing _ spares a keyword."""
        return replace(self, labels={k: v for k, v in (self.labels | labels).items() if v})

    def lines(self, cluster: str) -> Iterable[str]:
        told = ",".join(f'{k}="{v}"' for k, v in ({"cluster": cluster} | self.labels).items())
        for place, moment in enumerate(self.times):
            value = self.value(place) if callable(self.value) else self.value
            yield f"{self.name}{{{told}}} {value:.15g} {moment:.3f}"


def text(clusters: dict[str, list[Series]]) -> str:
    """OpenMetrics text; each series bears its cluster's name as label `cluster`, unless it has one."""
    lines = [line for name, rows in clusters.items() for series in rows for line in series.lines(name)]
    return "\n".join([*sorted(lines, key=lambda line: line.split("{")[0]), "# EOF", ""])


def healthy(*, start: float, end: float, step: float = 30.0) -> list[Series]:
    """Two nodes of two boards; pod `train` holds both of n1, pod `serve` one of n2. Unix seconds."""
    times = [start + step * n for n in range(int((end - start) // step) + 1)]
    rows = [*_node("n1", start), *_node("n2", start), *_pod("ml", "train", "u1", "n1", 2, start), *_pod("web", "serve", "u2", "n2", 1, start),
            *_board("GPU-a", "n1", "ml", "train", 90), *_board("GPU-b", "n1", "ml", "train", 80),
            *_board("GPU-c", "n2", "web", "serve", 40), *_board("GPU-d", "n2", "", "", 0)]  # fmt: skip
    rows += [Series("kube_namespace_labels", {"namespace": name, "label_team": name}) for name in ("ml", "web")]
    return [replace(row, times=times) for row in rows]


def _node(node: str, start: float) -> list[Series]:
    labels = {"label_nvidia_com_gpu_product": MODEL.replace(" ", "-"), "label_nvidia_com_gpu_count": "2", "label_karpenter_sh_nodepool": "gpu",
              "label_nvidia_com_gpu_replicas": "1", "label_karpenter_sh_capacity_type": "on-demand"}  # fmt: skip
    return [
        Series("kube_node_status_capacity", {"node": node, "resource": "nvidia_com_gpu"}, 2),
        Series("kube_node_labels", {"node": node, **labels}),
        Series("kube_node_info", {"node": node, "system_uuid": f"machine-{node}", "internal_ip": f"10.0.0.{node[1:]}"}),
        Series("kube_node_created", {"node": node}, start),
    ]


def _pod(namespace: str, pod: str, uid: str, node: str, gpus: int, start: float) -> list[Series]:
    who = {"namespace": namespace, "pod": pod, "uid": uid}
    return [
        Series("kube_pod_container_resource_requests", {**who, "container": "c", "node": node, "resource": "nvidia_com_gpu"}, gpus),
        Series("kube_pod_status_scheduled_time", who, start),
        Series("kube_pod_start_time", who, start),
        Series("kube_pod_container_state_started", {**who, "container": "c"}, start),
        Series("kube_pod_container_status_restarts_total", {**who, "container": "c"}, 0),
        Series("kube_pod_status_phase", {**who, "phase": "Succeeded"}, 0),
        Series("kube_pod_info", {**who, "node": node, "pod_ip": f"10.1.0.{uid[1:]}"}),
        Series("kube_pod_owner", {**who, "owner_kind": "Job", "owner_name": pod, "owner_is_controller": "true"}),
        Series("kube_pod_labels", {**who, "label_example_com_team": namespace}),
    ]


def _board(uuid: str, node: str, namespace: str, pod: str, busy: float) -> list[Series]:
    labels = {"UUID": uuid, "Hostname": node, "modelName": MODEL, "pod": f"dcgm-{node}", "namespace": "gpu-operator", "instance": f"{node}:9400"}
    workload = {"exported_pod": pod, "exported_namespace": namespace} if pod else {}
    values = {"DCGM_FI_PROF_GR_ENGINE_ACTIVE": busy / 100, "DCGM_FI_DEV_GPU_UTIL": busy, "DCGM_FI_DEV_FB_USED": 1000,
              "DCGM_FI_DEV_GPU_TEMP": 50, "DCGM_FI_DEV_POWER_USAGE": 200, "DCGM_FI_PROF_SM_ACTIVE": busy / 200}  # fmt: skip
    return [Series(name, labels | workload, value) for name, value in values.items()]
