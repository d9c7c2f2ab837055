"""From a pod to its top-level workload, and to the run of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ingest.tidy.answers import Answers, pod_key

# Labels that name a workload even where its owner objects are invisible or gone, first match wins.
BY_LABEL = (
    ("leaderworkerset_sigs_k8s_io_name", "LeaderWorkerSet"),
    ("jobset_sigs_k8s_io_jobset_name", "JobSet"),
    ("ray_io_cluster", "RayCluster"),
    ("volcano_sh_job_name", "VolcanoJob"),
    ("serving_kserve_io_inferenceservice", "InferenceService"),
    ("notebook_name", "Notebook"),
)


Key = tuple[str, str, str]  # namespace, pod, uid


@dataclass(frozen=True, slots=True)
class Workload:
    """`run`: one Job of a CronJob; elsewhere the workload itself."""

    kind: str
    name: str
    run: str


def workloads(answers: Answers, labels: Mapping[Key, Mapping[str, str]]) -> dict[Key, Workload]:
    """The workload of every pod that has an owner or, among its `labels`, one that names a workload."""
    above = _second_links(answers)
    found = {}
    for series, _ in answers.last("pod_owner"):
        if series.get("owner_kind") and series.get("owner_is_controller", "true") == "true":
            found[pod_key(series)] = _climb(series.get("namespace", ""), series["owner_kind"], series["owner_name"], above)
    for pod, mine in labels.items():
        if told := next(((label, kind) for label, kind in BY_LABEL if mine.get(label)), None):
            label, kind = told
            found[pod] = Workload(kind, mine[label], mine[label])
    return found


def _second_links(answers: Answers) -> dict[tuple[str, str, str], tuple[str, str]]:
    links = {}
    for key, kind, label in (("replicaset_owner", "ReplicaSet", "replicaset"), ("job_owner", "Job", "job_name")):
        for labels, _ in answers.last(key):
            if labels.get("owner_kind") not in (None, "", "<none>"):
                links[labels.get("namespace", ""), kind, labels.get(label, "")] = labels["owner_kind"], labels["owner_name"]
    return links


def _climb(namespace: str, kind: str, name: str, above: dict) -> Workload:
    run = name
    if (namespace, kind, name) in above:
        top, called = above[namespace, kind, name]
        return Workload(top, called, run if kind == "Job" else called)
    return Workload(kind, name, run)
