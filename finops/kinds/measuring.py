"""Faults of measurement: use that nobody told, told twice, or cannot have been."""

from finops.kinds.kind import Kind

IMAGE = "dcgm-exporter: image tag 4.5.3-4.8.2 or newer"
KUBELET = ("dcgm-exporter: volumes: hostPath /var/lib/kubelet/pod-resources mounted at the same path; on GKE also "
           "env: - {name: DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE, value: device-name}")  # fmt: skip
KINDS = (
    Kind(
        "silent_exporter", "Silent exporter",
        "hours held there are unmeasured: neither used nor idle",
        "dcgm-exporter: tolerations: - {operator: Exists}, so that its DaemonSet runs on every GPU node",
        "fault",
    ),
    Kind(
        "silent_source", "Hour without samples",
        "nodes and pods that were there before and after it are charged, unmeasured; what came and went within it is missing",
        "keep Prometheus and the worker that collects running: see up, and look at the worker's log",
        "fault",
    ),
    Kind(
        "no_measurement", "Pod that nothing measured",
        "its hours are unmeasured: neither used nor idle, though others on its node were measured",
        KUBELET,
    ),
    Kind(
        "unnamed_devices", "Device series without pods",
        "use reaches a pod only where it alone can hold the device; the rest is unmeasured",
        'dcgm-exporter: env: - {name: DCGM_EXPORTER_KUBERNETES, value: "true"}',
        "fault",
    ),
    Kind(
        "inferred_device", "Device told by elimination",
        "its use is booked to the only pod that lacked a device; no series confirms it",
        KUBELET,
        "note",
    ),
    Kind(
        "doubled_exporters", "Exporters scraped twice",
        "harmless: copies are merged and no figure changes, but twice as much is read",
        "dcgm-exporter: one DaemonSet, the chart's or the GPU operator's: dcgmExporter.enabled=false",
        "note",
    ),
    Kind(
        "rejected_samples", "Rejected samples",
        "they are left out: that time is unmeasured where no other sample reaches",
        f"{IMAGE}; a board that goes on giving them needs its driver looked at",
    ),
    Kind(
        "frozen_profiling", "Frozen profiling",
        "GPU_UTIL is used for that time: use is overstated",
        "kubectl -n gpu-operator rollout restart daemonset nvidia-dcgm-exporter",
        "warn", True,
    ),
    Kind(
        "vanished_board", "Vanished board",
        "hours held on the others are unmeasured",
        f"{IMAGE}; kubectl exec: nvidia-smi -L shows whether a board is gone",
    ),
    Kind(
        "shared_without_measurement", "Shared GPUs measured as one",
        "each pod's use is an estimate: what the board did, divided by the shares of the pods on it",
        f'{IMAGE}, hostPID: true and env: - {{name: KUBERNETES_VIRTUAL_GPUS, value: "true"}}',
        "note",
    ),
)  # fmt: skip
