"""What the absence of a series costs in accuracy, and the words of its cure."""

from finops.kinds import kind

STALE_SECONDS = 300
NODE_LABELS = ("karpenter.sh/nodepool", "karpenter.sh/capacity-type", "eks.amazonaws.com/nodegroup", "eks.amazonaws.com/capacityType",
               "cloud.google.com/gke-nodepool", "cloud.google.com/gke-spot", "kubernetes.azure.com/agentpool",
               "kubernetes.azure.com/scalesetpriority", "node.kubernetes.io/instance-type", "nvidia.com/gpu.product",
               "nvidia.com/gpu.replicas", "nvidia.com/gpu.count")
QUEUE_LABELS = ("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/local-queue-name", "volcano.sh/queue-name", "yunikorn.apache.org/queue")
COUNTERS = "dcgm-exporter counters file: {}"
# key: (level where it is absent, what that costs)
ABSENT = {
    "requests": ("fault", "no pod is known to hold a GPU: every GPU-hour counts as unallocated"),
    "capacity": ("fault", "no node's GPUs are known: capacity and unallocated cost are missing"),
    "scheduled": ("warn", "a lease begins at kube_pod_start_time or at its first scrape: up to one scrape interval is lost"),
    "accepted": ("warn", "nothing stands in where the bind time is missing"),
    "started": ("warn", "a start is told by phase Running or by the pod's end only, up to one scrape interval late"),
    "restarts": ("warn", "a container that starts again and again is taken for one still starting"),
    "terminal": ("warn", "a lease ends half a scrape interval after its last sighting, not at its completion"),
    "pod_info": ("warn", "a DCGM series that names no node finds its node by host name only"),
    "pod_owner": ("fault", kind("ownerless_pods").meaning),
    "node_info": ("warn", "two machines that bear one name in turn count as one"),
    "node_created": ("warn", "a node is counted from its first scrape: up to one scrape interval is lost"),
    "memory": ("warn", "no memory maximum: advice on smaller GPUs is missing"),
    "temperature": ("warn", "no temperature is shown"),
    "power": ("warn", "energy_kwh is null"),
    "sm_active": ("warn", "no effective use is shown"),
}
LINES = {"memory": "DCGM_FI_DEV_FB_USED, gauge, Framebuffer memory used (in MiB).",
         "temperature": "DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature (in C).",
         "power": "DCGM_FI_DEV_POWER_USAGE, gauge, Power draw (in W).",
         "sm_active": "DCGM_FI_PROF_SM_ACTIVE, gauge, The ratio of cycles an SM has at least 1 warp assigned.",
         "profiling": "DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, Ratio of time the graphics engine is active.",
         "utilisation": "DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilization (in %)."}
