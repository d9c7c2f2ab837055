"""From a pod to its top-level workload, and to the run of it."""

from dataclasses import dataclass

from ingest.tidy.answers import Answers, pod_key

# Labels that name a workload even where its owner objects are invisible or gone, first match wins.
BY_LABEL = (
    ("label_leaderworkerset_sigs_k8s_io_name", "LeaderWorkerSet"),
    ("label_jobset_sigs_k8s_io_jobset_name", "JobSet"),
    ("label_ray_io_cluster", "RayCluster"),
    ("label_volcano_sh_job_name", "VolcanoJob"),
    ("label_serving_kserve_io_inferenceservice", "InferenceService"),
    ("label_notebook_name", "Notebook"),
)


@dataclass(frozen=True, slots=True)
class Workload:
    """`run`: one Job of a CronJob; elsewhere the workload itself."""

    kind: str
    name: str
    run: str


def workloads(answers: Answers) -> dict[tuple[str, str, str], Workload]:
    """The workload of every pod that has an owner or a workload label."""
    above = _second_links(answers)
    found = {}
    for labels, _ in answers.last("pod_owner"):
        if labels.get("owner_kind") and labels.get("owner_is_controller", "true") == "true":
            found[pod_key(labels)] = _climb(labels.get("namespace", ""), labels["owner_kind"], labels["owner_name"], above)
    for labels, _ in answers.last("pod_labels"):
        for label, kind in BY_LABEL:
            if labels.get(label):
                found[pod_key(labels)] = Workload(kind, labels[label], labels[label])
                break
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
