"""Whole pages of kube-state-metrics, read as they say they must be."""

from fractions import Fraction

from ingest.tidy.nodes import nodes
from ingest.tidy.owners import Workload
from ingest.tidy.pods import Pod, pods
from tests.cases_kube.reading import answers, scraped

NOW = 1_790_000_000  # when the pages were scraped
HOUR = NOW - NOW % 3600
TIMES = range(HOUR + 20, NOW + 1, 60)


def read(name: str, folder) -> dict[str, Pod]:
    return {pod.name: pod for pod in pods(answers(scraped(name, TIMES), folder, start=HOUR), configured=60)}


def gpus_at(found: dict[str, Pod], moment: int) -> int:
    return sum(pod.quantity for pod in found.values() if pod.lease and pod.lease.start <= moment < pod.lease.end)


def test_a_deployment_of_which_one_pod_waits_for_its_image(tmp_path) -> None:
    found = read("ksm-deployment", tmp_path)
    assert gpus_at(found, NOW) == 3
    waiting = [pod for pod in found.values() if pod.lease and pod.lease.started > NOW]
    assert [pod.name for pod in waiting] == ["llm-serve-7c9d8f6b54-tw5mc"]
    assert [NOW - pod.lease.start for pod in waiting if pod.lease] == [1380]
    assert {pod.workload for pod in found.values()} == {Workload("Deployment", "llm-serve", "llm-serve")}
    assert {pod.labels[-1].labels["team"] for pod in found.values()} == {"search"}
    assert {pod.quantity for pod in found.values()} == {1}  # its sidecar asks for no GPU


def test_finished_failed_evicted_and_running_pods_of_jobs(tmp_path) -> None:
    found = read("ksm-completed-job", tmp_path)
    assert gpus_at(found, NOW) == 4
    seconds = {name: pod.quantity * (pod.lease.end - pod.lease.start) for name, pod in found.items() if pod.lease}
    assert seconds["nightly-eval-29833320-x7b2q"] == 1080
    assert seconds["finetune-lora-4c2fj"] == 6008
    assert seconds["nightly-eval-29831880-qv8rn"] == 2 * (1_789_913_391 - 1_789_912_803)  # yesterday's
    assert "finetune-lora-9sk8w" not in seconds  # no scrape here saw it hold
    assert found["nightly-eval-29833320-x7b2q"].workload == Workload("CronJob", "nightly-eval", "nightly-eval-29833320")
    assert found["finetune-lora-zz6lp"].workload == Workload("Job", "finetune-lora", "finetune-lora")


def test_an_evicted_pod_ends_with_the_last_scrape_that_saw_it_hold(tmp_path) -> None:
    """It was Running on the pages up to 14:06:20; it has no container status and so no completion time."""
    gone = HOUR + 380
    before = [
        line.replace("} 1 ", "} 0 ") if "9sk8w" in line and 'phase="Failed"' in line else line
        for line in scraped("ksm-completed-job", [t for t in TIMES if t <= gone])
    ]
    lines = before + scraped("ksm-completed-job", [t for t in TIMES if t > gone])
    (pod,) = [pod for pod in pods(answers(lines, tmp_path, start=HOUR), configured=60) if pod.name == "finetune-lora-9sk8w"]
    assert pod.lease and (pod.lease.start, pod.lease.end) == (1_789_991_532, gone + 30)


def test_half_a_gang_and_two_gated_pods(tmp_path) -> None:
    found = read("ksm-pytorchjob-gang-partial", tmp_path)
    assert sorted(found) == ["bert-pretrain-master-0", "bert-pretrain-worker-0"]
    assert gpus_at(found, NOW) == 16
    assert sum(pod.quantity * (NOW - pod.lease.start) for pod in found.values() if pod.lease) == 16 * 5395
    assert {pod.workload for pod in found.values()} == {Workload("PyTorchJob", "bert-pretrain", "bert-pretrain")}


def test_a_notebook_made_again_on_another_node(tmp_path) -> None:
    lines = scraped("ksm-notebook-statefulset-t0", range(HOUR + 20, NOW + 541, 60))
    lines += scraped("ksm-notebook-statefulset-t1", range(NOW + 640, NOW + 1841, 60))
    found = pods(answers(lines, tmp_path, start=HOUR), configured=60)
    alice = [pod for pod in found if pod.name == "nb-alice-0"]
    assert [(pod.uid[-4:], pod.node, pod.lease.start, pod.lease.end) for pod in alice if pod.lease] == [
        ("5a01", "gpu-a10-01", 1_789_481_600, NOW + 540 + 30),
        ("5a02", "gpu-a100-01", NOW + 600, NOW + 1840 + 30),
    ]
    assert {pod.workload for pod in alice} == {Workload("Notebook", "nb-alice", "nb-alice")}
    assert [pod.workload for pod in found if pod.name == "jupyter-bob"] == [Workload("Notebook", "jupyter-bob", "jupyter-bob")]


def test_mig_slices_held_and_free(tmp_path) -> None:
    page = answers(scraped("ksm-mig-pod", TIMES), tmp_path, start=HOUR)
    (node,) = nodes(page, [], pool_label="", configured=60)
    held = [(pod.name, node.unit_shares[pod.resource] * pod.quantity) for pod in pods(page, configured=60)]
    assert held == [("students-01", Fraction(1, 7)), ("students-02", Fraction(3, 7))]  # the two that wait hold nothing
    assert node.boards == 2
    assert node.capacity == {"nvidia_com_mig_1g_5gb": 7, "nvidia_com_mig_2g_10gb": 2, "nvidia_com_mig_3g_20gb": 1}


def test_spot_nodes_and_one_that_has_no_gpu_yet(tmp_path) -> None:
    page = answers(scraped("ksm-karpenter-nodes", TIMES), tmp_path, start=HOUR)
    found = {node.name.split(".")[0]: node for node in nodes(page, [], pool_label="", configured=60)}
    assert {name: (node.capacity_type, node.boards) for name, node in found.items()} == {
        "ip-10-20-1-11": ("spot", 4), "ip-10-20-1-12": ("on-demand", 8), "ip-10-20-2-31": ("spot", 4), "ip-10-20-9-7": ("on-demand", 1),
    }  # fmt: skip
    assert (found["ip-10-20-2-31"].created, found["ip-10-20-2-31"].models) == (1_789_999_800, {"a10g": 4})
    assert found["ip-10-20-9-7"].pool == "legacy-gpu"
    assert len({node.uid for node in found.values()}) == 4


def test_claims_are_no_requests(tmp_path) -> None:
    """The node's label counts four boards. Three pods hold by claims, two of them by one; how much is in no series."""
    page = answers(scraped("ksm-dra-pods", TIMES), tmp_path, start=HOUR)
    found = pods(page, configured=60)
    assert [(pod.name, pod.resource, pod.node, pod.lease.start) for pod in found if pod.lease] == [
        (name, "resource_claim", "gpu-dra-01", 1_789_996_301) for name in ("asr-a", "asr-b", "dra-train-0")
    ]
    (node,) = nodes(page, [], pool_label="", configured=60)
    assert (node.name, node.boards, node.models) == ("gpu-dra-01", 4, {"NVIDIA-H100-80GB-HBM3": 4})
