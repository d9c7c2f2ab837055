"""From a pod to its workload and run, for every system that makes pods with GPUs."""

import pytest

from ingest.tidy.owners import Workload
from ingest.tidy.pods import pods
from tests.cases_kube.reading import answers, series

START = 1_790_000_000 - 1_790_000_000 % 3600
TIMES = range(START, START + 3600, 60)


def owner(kind: str, name: str) -> dict[str, str]:
    return {"owner_kind": kind, "owner_name": name, "owner_is_controller": "true"}


def of_job(name: str, kind: str, top: str) -> tuple[str, dict[str, str]]:
    return "kube_job_owner", {"namespace": "ml", "job_name": name, **owner(kind, top)}


def of_set(name: str, kind: str, top: str) -> tuple[str, dict[str, str]]:
    return "kube_replicaset_owner", {"namespace": "ml", "replicaset": name, **owner(kind, top)}


def of_ray(cluster: str, kind: str) -> tuple[str, dict[str, str]]:
    return "kuberay_cluster_info", {"namespace": "ml", "name": cluster, "uid": "r1", "owner_kind": kind}


BARE = {"owner_kind": "", "owner_name": "", "owner_is_controller": ""}
TRAINING = {"training_kubeflow_org_job_name": "bert", "training_kubeflow_org_operator_name": "pytorchjob-controller"}
# case: what kube_pod_owner says, the pod's labels, other series, and the workload with its run
CASES: dict[str, tuple[dict[str, str], dict[str, str], list[tuple[str, dict[str, str]]], Workload]] = {
    "deployment": (owner("ReplicaSet", "api-7c9d"), {}, [of_set("api-7c9d", "Deployment", "api")], Workload("Deployment", "api", "api")),
    "rollout": (owner("ReplicaSet", "api-7c9d"), {}, [of_set("api-7c9d", "Rollout", "api")], Workload("Rollout", "api", "api")),
    "replicaset of nobody": (owner("ReplicaSet", "rs"), {}, [of_set("rs", "", "")], Workload("ReplicaSet", "rs", "rs")),
    "replicaset of nobody, old spelling": (owner("ReplicaSet", "rs"), {}, [of_set("rs", "<none>", "<none>")], Workload("ReplicaSet", "rs", "rs")),
    "G3 deployment that owns its pods": (owner("Deployment", "flink"), {}, [], Workload("Deployment", "flink", "flink")),
    "statefulset": (owner("StatefulSet", "db"), {}, [], Workload("StatefulSet", "db", "db")),
    "daemonset": (owner("DaemonSet", "probe"), {}, [], Workload("DaemonSet", "probe", "probe")),
    "job": (owner("Job", "lora"), {}, [of_job("lora", "", "")], Workload("Job", "lora", "lora")),
    "cronjob": (owner("Job", "eval-2983"), {}, [of_job("eval-2983", "CronJob", "eval")], Workload("CronJob", "eval", "eval-2983")),
    "scaledjob": (owner("Job", "ocr-x1"), {}, [of_job("ocr-x1", "ScaledJob", "ocr")], Workload("ScaledJob", "ocr", "ocr-x1")),
    "pytorchjob": (owner("PyTorchJob", "bert"), TRAINING, [], Workload("PyTorchJob", "bert", "bert")),
    "pytorchjob without owner series": (BARE, TRAINING, [], Workload("PyTorchJob", "bert", "bert")),
    "mpijob launcher": (owner("Job", "hpl-launcher"), {}, [of_job("hpl-launcher", "MPIJob", "hpl")], Workload("MPIJob", "hpl", "hpl")),
    "mpijob worker": (owner("MPIJob", "hpl"), {}, [], Workload("MPIJob", "hpl", "hpl")),
    "trainjob": (owner("Job", "tune-node-0"), {"jobset_sigs_k8s_io_jobset_name": "tune", "trainer_kubeflow_org_trainjob_ancestor_step": "trainer"},
                 [of_job("tune-node-0", "JobSet", "tune")], Workload("TrainJob", "tune", "tune")),
    "jobset by label": (owner("Job", "js-w-0"), {"jobset_sigs_k8s_io_jobset_name": "js"}, [], Workload("JobSet", "js", "js")),
    "jobset by owner": (owner("Job", "js-w-0"), {}, [of_job("js-w-0", "JobSet", "js")], Workload("JobSet", "js", "js")),
    "raycluster": (owner("RayCluster", "ray"), {"ray_io_cluster": "ray"}, [of_ray("ray", "None")], Workload("RayCluster", "ray", "ray")),
    "rayjob": (owner("RayCluster", "tune-x7k2p"), {"ray_io_cluster": "tune-x7k2p"}, [of_ray("tune-x7k2p", "RayJob")],
               Workload("RayJob", "tune", "tune-x7k2p")),
    "rayjob, older name": (owner("RayCluster", "tune-raycluster-x7k2p"), {"ray_io_cluster": "tune-raycluster-x7k2p"},
                           [of_ray("tune-raycluster-x7k2p", "RayJob")], Workload("RayJob", "tune", "tune-raycluster-x7k2p")),
    "rayjob submitter": (owner("Job", "tune"), {}, [of_job("tune", "RayJob", "tune")], Workload("RayJob", "tune", "tune")),
    "rayservice": (owner("RayCluster", "chat-9p4qd"), {"ray_io_cluster": "chat-9p4qd"}, [of_ray("chat-9p4qd", "RayService")],
                   Workload("RayService", "chat", "chat-9p4qd")),
    "rayjob, KubeRay not scraped": (owner("RayCluster", "tune-x7k2p"), {"ray_io_cluster": "tune-x7k2p"}, [],
                                    Workload("RayCluster", "tune-x7k2p", "tune-x7k2p")),
    "G2 volcano": (owner("Job", "mnist"), {"volcano_sh_job_name": "mnist"}, [], Workload("VolcanoJob", "mnist", "mnist")),
    "leaderworkerset leader": (owner("StatefulSet", "llama"), {"leaderworkerset_sigs_k8s_io_name": "llama"}, [],
                               Workload("LeaderWorkerSet", "llama", "llama")),
    "leaderworkerset worker": (owner("StatefulSet", "llama-3"), {"leaderworkerset_sigs_k8s_io_name": "llama"}, [],
                               Workload("LeaderWorkerSet", "llama", "llama")),
    "argo workflow": (owner("Workflow", "etl-4vx"), {"workflows_argoproj_io_workflow": "etl-4vx"}, [], Workload("Workflow", "etl-4vx", "etl-4vx")),
    "argo cronworkflow": (owner("Workflow", "etl-4vx"), {"workflows_argoproj_io_workflow": "etl-4vx", "workflows_argoproj_io_cron_workflow": "etl"},
                          [], Workload("CronWorkflow", "etl", "etl-4vx")),
    "notebook": (owner("StatefulSet", "nb"), {"notebook_name": "nb"}, [], Workload("Notebook", "nb", "nb")),
    "jupyterhub": (BARE, {"hub_jupyter_org_username": "bob"}, [], Workload("Notebook", "pod-0", "pod-0")),
    "kserve": (owner("ReplicaSet", "m-predictor-1"), {"serving_kserve_io_inferenceservice": "m"}, [of_set("m-predictor-1", "Deployment", "m-predictor")],
               Workload("InferenceService", "m", "m")),
    "kserve llm": (owner("ReplicaSet", "q-kserve-1"), {"app_kubernetes_io_part_of": "llminferenceservice", "app_kubernetes_io_name": "q"}, [],
                   Workload("LLMInferenceService", "q", "q")),
    "kueue pod group": (BARE, {"kueue_x_k8s_io_pod_group_name": "sweep"}, [], Workload("PodGroup", "sweep", "sweep")),
    "kueue job keeps its kind": (owner("PyTorchJob", "bert"), {"kueue_x_k8s_io_local_queue_name": "nlp"}, [], Workload("PyTorchJob", "bert", "bert")),
    "yunikorn driver": (BARE, {"yunikorn_apache_org_app_id": "spark-1"}, [], Workload("Application", "spark-1", "spark-1")),
    "yunikorn executor": (owner("Pod", "driver"), {"yunikorn_apache_org_app_id": "spark-1"}, [], Workload("Application", "spark-1", "spark-1")),
    "yunikorn job keeps its kind": (owner("Job", "b"), {"yunikorn_apache_org_app_id": "app-7"}, [], Workload("Job", "b", "b")),
    "bare pod": (BARE, {}, [], Workload("Pod", "pod-0", "pod-0")),
    "bare pod, old spelling": (owner("<none>", "<none>"), {}, [], Workload("Pod", "pod-0", "pod-0")),
    "static pod": (owner("Node", "n1"), {}, [], Workload("Pod", "pod-0", "pod-0")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_workload_and_run(name: str, tmp_path) -> None:
    owned, labels, others, right = CASES[name]
    who = {"namespace": "ml", "pod": "pod-0", "uid": "u0"}
    lines = series("kube_pod_container_resource_requests", who | {"container": "c", "node": "n1", "resource": "nvidia_com_gpu"}, 1, TIMES)
    lines += series("kube_pod_owner", who | owned, 1, TIMES)
    if labels:
        lines += series("kube_pod_labels", who | {f"label_{key}": value for key, value in labels.items()}, 1, TIMES)
    for metric, row in others:
        lines += series(metric, row, 1, TIMES)
    (pod,) = pods(answers(lines, tmp_path, start=START), configured=60)
    assert pod.workload == right


def test_an_owner_that_is_not_the_controller_does_not_count(tmp_path) -> None:
    who = {"namespace": "ml", "pod": "pod-0", "uid": "u0"}
    lines = series("kube_pod_container_resource_requests", who | {"container": "c", "node": "n1", "resource": "nvidia_com_gpu"}, 1, TIMES)
    lines += series("kube_pod_owner", who | owner("PyTorchJob", "bert"), 1, TIMES)
    lines += series("kube_pod_owner", who | {"owner_kind": "Team", "owner_name": "zeta", "owner_is_controller": "false"}, 1, TIMES)
    (pod,) = pods(answers(lines, tmp_path, start=START), configured=60)
    assert pod.workload == Workload("PyTorchJob", "bert", "bert")


@pytest.mark.parametrize(("operator", "kind"), [
    ("pytorchjob-controller", "PyTorchJob"), ("tfjob-controller", "TFJob"), ("mpijob-controller", "MPIJob"), ("mpi-operator", "MPIJob"),
    ("xgboostjob-controller", "XGBoostJob"), ("paddlejob-controller", "PaddleJob"), ("jaxjob-controller", "JAXJob"),
])  # fmt: skip
def test_a_training_job_whose_owner_series_is_gone(operator: str, kind: str, tmp_path) -> None:
    """The launcher's Job is gone with its owner series: the labels on the pod still name the job."""
    who = {"namespace": "ml", "pod": "pod-0", "uid": "u0"}
    lines = series("kube_pod_container_resource_requests", who | {"container": "c", "node": "n1", "resource": "nvidia_com_gpu"}, 1, TIMES)
    lines += series("kube_pod_owner", who | owner("Job", "hpl-launcher"), 1, TIMES)
    labels = {"label_training_kubeflow_org_job_name": "hpl", "label_training_kubeflow_org_operator_name": operator}
    lines += series("kube_pod_labels", who | labels, 1, TIMES)
    (pod,) = pods(answers(lines, tmp_path, start=START), configured=60)
    assert pod.workload == Workload(kind, "hpl", "hpl")
