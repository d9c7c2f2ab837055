"""What kube-state-metrics prints of the company's pods, their owners, namespaces and quotas; names and labels of v2.20."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ingest.simulator.company import NAMESPACE_TEAMS, TEAM_LABEL, USER_LABEL
from ingest.simulator.curves import Floats
from ingest.simulator.pods import Pod, replica_set
from ingest.simulator.series import Labels, Span, Track, named
from ingest.simulator.weeks import digest

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
# namespace → resource → hard limit
QUOTAS = {
    "scoring": {"requests.nvidia.com/gpu": 12}, "fraud-lab": {"requests.nvidia.com/gpu": 10, "requests.nvidia.com/mig-3g.20gb": 1},
    "claims": {"requests.nvidia.com/gpu": 5}, "search": {"requests.nvidia.com/gpu": 6},
    "sandbox": {"requests.nvidia.com/gpu": 1, "requests.nvidia.com/mig-1g.5gb": 2},
}  # fmt: skip


def sanitised(label: str, prefix: str = "label_") -> str:
    return prefix + "".join(c if c.isalnum() else "_" for c in label)


@lru_cache(maxsize=20_000)
def of_pod(pod: Pod) -> tuple[Span, ...]:
    """Every series of one pod, for as long as its object exists."""
    return tuple([*_identity(pod), *_requests(pod), *_life(pod), *_container(pod)])


def _of(pod: Pod) -> Labels:
    return {"namespace": pod.job.namespace, "pod": pod.name, "uid": pod.uid}


def owner(pod: Pod) -> tuple[str, str]:
    """Kind and name of the pod's controller, "" for a bare pod."""
    job = pod.job
    if job.kind in ("Deployment", "InferenceService"):
        return "ReplicaSet", f"{job.name}-{replica_set(pod.run)}"
    if job.kind in ("Notebook", "StatefulSet"):
        return "StatefulSet", job.name
    if job.kind == "CronJob":
        return "Job", f"{job.name}-{pod.run}"
    return ("", "") if job.kind == "Pod" else (job.kind, job.name)


def _identity(pod: Pod) -> Iterator[Span]:
    kind, name = owner(pod)
    place = digest("pod address", pod.uid)
    known = {"host_ip": "", "pod_ip": f"10.244.{place[0]}.{place[1]}", "node": pod.node, "created_by_kind": kind, "created_by_name": name}
    info = _of(pod) | known | {"priority_class": "", "host_network": "false"}
    if pod.bound is None or pod.created < pod.bound:
        yield Span(named("kube_pod_info", info | {"node": "", "pod_ip": ""}), pod.created, pod.bound or pod.gone, 1)
    if pod.bound is not None:
        yield Span(named("kube_pod_info", info), pod.bound, pod.gone, 1)
    mine = {"owner_kind": kind, "owner_name": name, "owner_is_controller": "true" if kind else ""}
    yield Span(named("kube_pod_owner", _of(pod) | mine), pod.created, pod.gone, 1)
    yield Span(named("kube_pod_labels", _of(pod) | _labels(pod)), pod.created, pod.gone, 1)
    yield Span(named("kube_pod_created", _of(pod)), pod.created, pod.gone, pod.created)


def _labels(pod: Pod) -> Labels:
    job = pod.job
    found = {"app": job.name, USER_LABEL: job.user}
    if job.team_label:
        found[TEAM_LABEL] = job.team
    if job.queue:
        found[QUEUE_LABEL] = job.queue
    own = {
        "Notebook": "notebook-name",
        "InferenceService": "serving.kserve.io/inferenceservice",
        "PyTorchJob": "training.kubeflow.org/job-name",
    }
    if job.kind in own:
        found[own[job.kind]] = job.name
    return {sanitised(name): value for name, value in sorted(found.items())}


def _requests(pod: Pod) -> Iterator[Span]:
    cards = len(pod.cards) or 1
    gpus = [(pod.job.resource, "integer", cards), ("cpu", "core", 8 * cards), ("memory", "byte", 2**35 * cards)]
    for resource, unit, value in gpus:
        wanted = _of(pod) | {"container": pod.container}
        for node, start, end in (("", pod.created, pod.gone if pod.bound is None else pod.bound), (pod.node, pod.bound, pod.gone)):
            if start is not None and end > start:
                labels = wanted | {"node": node, "resource": resource, "unit": unit}
                yield Span(named("kube_pod_container_resource_requests", labels), start, end, value)


def _life(pod: Pod) -> Iterator[Span]:
    marks = [("Pending", pod.created, pod.started if pod.bound is not None else pod.gone)]
    if pod.bound is not None:
        marks += [("Running", pod.started, pod.ended), (pod.outcome or "Succeeded", pod.ended, pod.gone)]
    for phase in PHASES:
        labels = named("kube_pod_status_phase", _of(pod) | {"phase": phase})
        yield from (Span(labels, start, end, float(phase == now)) for now, start, end in marks if end > start)
    waits = pod.gone if pod.bound is None else pod.bound
    bound = [(0.0, pod.created, waits)] + ([(1.0, pod.bound, pod.gone)] if pod.bound is not None else [])
    for condition, flips in (("true", False), ("false", True), ("unknown", None)):
        labels = named("kube_pod_status_scheduled", _of(pod) | {"condition": condition})
        yield from (Span(labels, a, b, 0.0 if flips is None else abs(yes - flips)) for yes, a, b in bound if b > a)
    yield Span(named("kube_pod_status_unschedulable", _of(pod)), pod.created, waits, 1)
    if pod.gated:
        yield Span(named("kube_pod_status_reason", _of(pod) | {"reason": "SchedulingGated"}), pod.created, waits, 1)
    if pod.bound is not None:
        yield Span(named("kube_pod_status_scheduled_time", _of(pod)), pod.bound, pod.gone, pod.bound)
        yield Span(named("kube_pod_start_time", _of(pod)), pod.bound, pod.gone, pod.bound)


def _container(pod: Pod) -> Iterator[Span]:
    if pod.bound is None:
        return
    mine = _of(pod) | {"container": pod.container}
    yield Span(named("kube_pod_container_status_waiting_reason", mine | {"reason": "ContainerCreating"}), pod.bound, pod.started, 1)
    yield Span(named("kube_pod_container_status_restarts_total", mine), pod.bound, pod.gone, 0)
    if pod.started < pod.ended:
        yield Span(named("kube_pod_container_state_started", mine), pod.started, pod.gone, pod.started)
    if pod.outcome:
        reason = "Completed" if pod.outcome == "Succeeded" else "Error"
        yield Span(named("kube_pod_completion_time", _of(pod)), pod.ended, pod.gone, pod.ended)
        yield Span(named("kube_pod_container_status_terminated_reason", mine | {"reason": reason}), pod.ended, pod.gone, 1)


def owners(pods: Sequence[Pod]) -> Iterator[Span]:
    """The second links of owner chains, each once for as long as any pod of it exists."""
    spans: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for pod in pods:
        kind, name = owner(pod)
        if kind == "ReplicaSet":
            spans.setdefault(("kube_replicaset_owner", "replicaset", pod.job.namespace, name, "Deployment", pod.job.name), []).append(
                (pod.created, pod.gone)
            )
        elif kind == "Job":
            cron = ("CronJob", pod.job.name) if pod.job.kind == "CronJob" else ("", "")
            spans.setdefault(("kube_job_owner", "job_name", pod.job.namespace, name, *cron), []).append((pod.created, pod.gone))
    for (family, label, namespace, name, above, top), found in spans.items():
        labels = {
            "namespace": namespace,
            label: name,
            "owner_kind": above,
            "owner_name": top,
            "owner_is_controller": "true" if above else "",
        }
        series = named(family, labels)
        yield from (Span(series, start, end, 1) for start, end in _united(found))


def _united(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def namespaces() -> Iterator[Span]:
    """Labels of every namespace, for ever."""
    for name, team in NAMESPACE_TEAMS.items():
        labels = {"namespace": name, "label_kubernetes_io_metadata_name": name} | ({"label_team": team} if team else {})
        yield Span(named("kube_namespace_labels", labels), 0, float("inf"), 1)


def quotas(pods: Sequence[Pod], time: Floats) -> Iterator[Track]:
    """`kube_resourcequota`: hard, and used as the quota controller counts it, pods without a node included."""
    for namespace, hard in QUOTAS.items():
        for resource, limit in hard.items():
            raw = sanitised(resource.removeprefix("requests."), "")
            used = np.zeros(len(time))
            for pod in pods:
                if pod.job.namespace == namespace and pod.job.resource == raw:
                    used += (len(pod.cards) or 1) * ((time >= pod.created) & (time < pod.ended))
            labels = {"namespace": namespace, "resourcequota": "gpu", "resource": resource}
            yield Track(named("kube_resourcequota", labels | {"type": "hard"}), time, np.full(len(time), float(limit)))
            yield Track(named("kube_resourcequota", labels | {"type": "used"}), time, used)
