"""From a pod to its top-level workload, and to the run of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.tidy.answers import Answers, pod_key

# Labels that name a workload even where its owner objects are invisible or gone, first match wins.
BY_LABEL = (
    ("leaderworkerset_sigs_k8s_io_name", "LeaderWorkerSet"),
    ("jobset_sigs_k8s_io_jobset_name", "JobSet"),
    ("ray_io_cluster", "RayCluster"),
    ("volcano_sh_job_name", "VolcanoJob"),
    ("workflows_argoproj_io_workflow", "Workflow"),
    ("serving_kserve_io_inferenceservice", "InferenceService"),
    ("notebook_name", "Notebook"),
)
# A pod that another pod owns, or nothing, may still be one of several of a workload.
UNOWNED = (("kueue_x_k8s_io_pod_group_name", "PodGroup"), ("yunikorn_apache_org_app_id", "Application"))
TRAIN_STEP = "trainer_kubeflow_org_trainjob_ancestor_step"  # on the pods of a TrainJob, whose JobSet bears its name
# What the label training.kubeflow.org/operator-name says (training-operator and mpi-operator, their controllers' names).
OPERATORS = {
    "pytorchjob-controller": "PyTorchJob",
    "tfjob-controller": "TFJob",
    "mpijob-controller": "MPIJob",
    "mpi-operator": "MPIJob",
    "xgboostjob-controller": "XGBoostJob",
    "paddlejob-controller": "PaddleJob",
    "jaxjob-controller": "JAXJob",
}
REPEATED = ("CronJob", "ScaledJob")  # each of their Jobs is a run; elsewhere a Job is a part of its owner
RAY_SUFFIX = re.compile(r"(-raycluster)?-[a-z0-9]{5}$")  # what KubeRay adds to a RayJob's or RayService's name for its cluster


Key = tuple[str, str, str]  # namespace, pod, uid
Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Workload:
    """`run`: one Job of a CronJob, one Workflow of a CronWorkflow, one cluster of a RayJob; elsewhere the workload itself."""

    kind: str
    name: str
    run: str


def workloads(answers: Answers, labels: Mapping[Key, Labels]) -> dict[Key, Workload]:
    """The workload of every pod that has an owner or, among its `labels`, one that names a workload."""
    above, rays = _second_links(answers), _ray_owners(answers)
    owners: dict[Key, tuple[str, str]] = {}
    for series, _ in answers.last("pod_owner"):
        if series.get("owner_kind") not in (None, "", "<none>", "Node") and series.get("owner_is_controller", "true") == "true":
            owners[pod_key(series)] = series["owner_kind"], series["owner_name"]
    found = {pod: _climb(pod[0], *owner, above) for pod, owner in owners.items()}
    for pod, mine in labels.items():
        if told := _by_label(pod, mine, owners.get(pod, ("", ""))[0], rays):
            found[pod] = told
    return found


def _by_label(pod: Key, mine: Labels, owner: str, rays: Mapping[tuple[str, str], str]) -> Workload | None:
    if mine.get("app_kubernetes_io_part_of") == "llminferenceservice" and (name := mine.get("app_kubernetes_io_name")):
        return Workload("LLMInferenceService", name, name)
    rules = BY_LABEL if owner not in ("", "Pod") else (*BY_LABEL, *UNOWNED)
    for label, kind in rules:
        if name := mine.get(label):
            return _named(pod, mine, kind, name, rays)
    if (kind := OPERATORS.get(mine.get("training_kubeflow_org_operator_name", ""), "")) and (name := mine.get("training_kubeflow_org_job_name")):
        return Workload(kind, name, name)
    if not owner and mine.get("hub_jupyter_org_username"):
        return Workload("Notebook", pod[1], pod[1])
    return None


def _named(pod: Key, mine: Labels, kind: str, name: str, rays: Mapping[tuple[str, str], str]) -> Workload:
    """The workload a label names; what stands above it where other labels or KubeRay tell."""
    if kind == "JobSet" and mine.get(TRAIN_STEP):
        return Workload("TrainJob", name, name)
    if kind == "Workflow" and (cron := mine.get("workflows_argoproj_io_cron_workflow")):
        return Workload("CronWorkflow", cron, name)
    if kind == "RayCluster":
        if (above := mine.get("ray_io_originated_from_crd")) and (called := mine.get("ray_io_originated_from_cr_name")):
            return Workload(above, called, name)
        if above := rays.get((pod[0], name)):
            return Workload(above, RAY_SUFFIX.sub("", name), name)
    return Workload(kind, name, name)


def _ray_owners(answers: Answers) -> dict[tuple[str, str], str]:
    """The kind of what made each Ray cluster, by (namespace, name): its own series tell, no owner series does."""
    found = {}
    for labels, _ in answers.last("ray_cluster"):
        if labels.get("owner_kind") in ("RayJob", "RayService"):
            found[labels.get("exported_namespace") or labels.get("namespace", ""), labels.get("name", "")] = labels["owner_kind"]
    return found


def _second_links(answers: Answers) -> dict[tuple[str, str, str], tuple[str, str]]:
    links = {}
    for key, kind, label in (("replicaset_owner", "ReplicaSet", "replicaset"), ("job_owner", "Job", "job_name")):
        for labels, _ in answers.last(key):
            if labels.get("owner_kind") not in (None, "", "<none>"):
                links[labels.get("namespace", ""), kind, labels.get(label, "")] = labels["owner_kind"], labels["owner_name"]
    return links


def _climb(namespace: str, kind: str, name: str, above: Mapping[tuple[str, str, str], tuple[str, str]]) -> Workload:
    if (namespace, kind, name) in above:
        top, called = above[namespace, kind, name]
        return Workload(top, called, name if top in REPEATED else called)
    return Workload(kind, name, name)
