"""Every series the product reads, once: its spellings, and how a window of it is asked for."""

from dataclasses import dataclass

GPU = "nvidia_com_(gpu|gpu_shared|mig_.+)|k8s_amazonaws_com_vgpu"
PROFILING = ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", "dcgm_fi_prof_gr_engine_active")
UTILISATION = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO", "dcgm_gpu_utilization")


@dataclass(frozen=True, slots=True)
class Query:
    """`names`: spellings, newest last. `over`: the range function that reduces a window, "" for raw samples.

    `extra`: matchers as (label, operator, value). `above`: keeps values above this only. `quarters`: asked per quarter hour.
    `stray`: keeps the series that left [0, stray] in the window only, each with what it left it by.
    """

    key: str
    names: tuple[str, ...]
    why: str
    over: str = ""
    extra: tuple[tuple[str, str, str], ...] = ()
    above: float | None = None
    quarters: bool = False
    stray: float | None = None


POWER = ("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_BOARD_POWER_WATTS", "dcgm_power_usage")
SM_ACTIVE = ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO")
# Beyond these a value is a blank marker or nonsense, not a measurement.
TOP = {"memory": 4_194_304.0, "temperature": 200.0, "power": 5_000.0, "sm_active": 1.05, "xid": 1_000.0}
QUOTA = "requests[.].+/.+"  # extended resources under their own names: quotas are not spelt as requests and capacity are
GPUS_HELD = (("resource", "=~", GPU), ("node", "!=", ""))
QUERIES = (
    Query("profiling", PROFILING, "busy ratio; the only one a MIG instance has"),
    Query("utilisation", UTILISATION, "busy per cent, where profiling is absent or frozen"),
    Query("requests", ("kube_pod_container_resource_requests",), "which pod holds what, and when it was seen", extra=GPUS_HELD),
    Query("init_requests", ("kube_pod_init_container_resource_requests",), "init containers and native sidecars", extra=GPUS_HELD),
    Query("capacity", ("kube_node_status_capacity",), "what a node has and that it was there", extra=(("resource", "=~", GPU),)),
    Query("scheduled", ("kube_pod_status_scheduled_time",), "the instant a pod is bound", "max_over_time"),
    Query("accepted", ("kube_pod_start_time",), "stands in for a missing bind time", "max_over_time"),
    Query("started", ("kube_pod_container_state_started",), "first start of a container", "min_over_time"),
    Query("restarts", ("kube_pod_container_status_restarts_total",), "a restart proves a start", "max_over_time", above=0),
    Query("completed", ("kube_pod_completion_time",), "the instant its last container ended", "max_over_time"),
    Query("terminal", ("kube_pod_status_phase",), "whether it ended", "max_over_time", (("phase", "=~", "Succeeded|Failed"),), above=0),
    Query(
        "sidecars", ("kube_pod_init_container_info",), "which init containers stay", "last_over_time", (("restart_policy", "=", "Always"),)
    ),
    Query("pod_info", ("kube_pod_info",), "addresses, for a series that names no node", "last_over_time"),
    Query("pod_owner", ("kube_pod_owner",), "first link of the owner chain", "last_over_time"),
    Query("replicaset_owner", ("kube_replicaset_owner",), "second link", "last_over_time"),
    Query("job_owner", ("kube_job_owner",), "second link", "last_over_time"),
    Query("ray_cluster", ("kuberay_cluster_info",), "what made a Ray cluster: KubeRay's own series", "last_over_time"),
    Query("pod_labels", ("kube_pod_labels",), "team and queue", "last_over_time"),
    Query("pod_annotations", ("kube_pod_annotations",), "team", "last_over_time"),
    Query("namespace_labels", ("kube_namespace_labels",), "team", "last_over_time"),
    Query(
        "quotas", ("kube_resourcequota",), "GPUs a namespace may hold", "last_over_time", (("type", "=", "hard"), ("resource", "=~", QUOTA))
    ),
    Query("node_labels", ("kube_node_labels",), "pool, model, capacity type", "last_over_time"),
    Query("node_info", ("kube_node_info",), "which machine bears the name", "last_over_time"),
    Query("node_created", ("kube_node_created",), "joining", "min_over_time"),
    Query("memory", ("DCGM_FI_DEV_FB_USED", "dcgm_fb_used"), "memory maximum", "max_over_time", quarters=True),
    Query("temperature", ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_TEMP_CELSIUS", "dcgm_gpu_temp"), "heat", "max_over_time", quarters=True),
    Query("power", POWER, "energy", "avg_over_time", quarters=True),
    Query("power_stray", POWER, "one blank marker spoils a mean", "max_over_time", quarters=True, stray=TOP["power"]),
    Query("sm_active", SM_ACTIVE, "effective use", "avg_over_time", quarters=True),
    Query("sm_active_stray", SM_ACTIVE, "one blank marker spoils a mean", "max_over_time", quarters=True, stray=TOP["sm_active"]),
    Query("xid", ("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR", "dcgm_xid_errors"), "events are changes", "changes", quarters=True),
)
# Asked by uid only, for pods that ended and whose end has no timestamp.
PHASES = Query("phases", ("kube_pod_status_phase",), "first scrape that saw the end", extra=(("phase", "=~", "Succeeded|Failed"),))
# Asked by uid only, for pods of whose start no container tells.
RUNNING = Query("running", ("kube_pod_status_phase",), "first scrape that saw it running", extra=(("phase", "=", "Running"),))
# Asked by name only, for nodes whose labels count GPUs and whose capacity does not.
NODE_SEEN = Query("node_seen", ("kube_node_created",), "when such a node was there")
NAMES = frozenset(name for query in (*QUERIES, PHASES, RUNNING, NODE_SEEN) for name in query.names)
