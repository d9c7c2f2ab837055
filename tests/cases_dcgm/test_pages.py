"""What an exporter's page, scraped every minute for an hour, comes to in GPU-hours; figures worked by hand from the pages."""

import pytest

from tests.cases_dcgm.scraped import GPU, Scraped, bill, hours

pytestmark = pytest.mark.django_db
A1, B1, T4 = "gpu-a100-01", "gpu-h100-07", "gpu-t4-02"


def mig(size: str) -> str:
    return f"nvidia_com_mig_{size}"


def h100(page: str) -> Scraped:
    """One H100 cut into 3g, 2g and two 1g, one whole; a 1g is free."""
    fleet = Scraped().node(B1, **{GPU: 1, mig("3g_40gb"): 1, mig("2g_20gb"): 1, mig("1g_10gb"): 2})
    fleet.hold("team-nlp", "finetune-a-0", node=B1, resource=mig("3g_40gb")).hold("team-nlp", "pretrain-worker-3", node=B1)
    fleet.hold("team-vision", "detector-7d4c9b6f5-zk8wp", node=B1, resource=mig("2g_20gb"))
    return fleet.hold("team-data", "notebook-amira", node=B1, resource=mig("1g_10gb")).page(page)


def t4(page: str) -> Scraped:
    """Two boards cut into four slots each: embed holds one slot, ocr two."""
    fleet = Scraped().node(T4, **{GPU: 8})
    fleet.put("kube_node_labels", {"node": T4, "label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "4"}, 1)
    return fleet.hold("team-web", "embed-5f7cb-aa1", node=T4).hold("team-data", "ocr-77d9-bb2", 2, node=T4).page(page)


def test_whole_boards(tmp_path) -> None:
    """Page a: three boards, two held. Profiling counts, not the point samples of GPU_UTIL (97 and 100)."""
    fleet = Scraped().node(A1, **{GPU: 3}).page("a-a100-plain")
    fleet.hold("team-vision", "resnet-train-0", node=A1).hold("team-nlp", "llm-serve-6c9d5f7b8-q2x7v", node=A1).collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {
        "resnet-train-0": (1, 0.962113, 0, 0), "llm-serve-6c9d5f7b8-q2x7v": (1, 0.417205, 0, 0), "": (0, 0, 0, 1)}  # fmt: skip


@pytest.mark.parametrize("page", [pytest.param("b-h100-mig", id="D23-D35"), pytest.param("b2-h100-mig-parent-and-instances", id="D26-D27")])
def test_mig_instances_with_and_without_their_parent(page: str, tmp_path) -> None:
    h100(page).collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {
        "finetune-a-0": (0.428571, 0.385714, 0, 0),  # 3/7, busy 0.9
        "detector-7d4c9b6f5-zk8wp": (0.285714, 0.142857, 0, 0),  # 2/7, busy 0.5
        "notebook-amira": (0.142857, 0.028571, 0, 0),  # 1/7, busy 0.2
        "pretrain-worker-3": (1, 0.988412, 0, 0),
        "": (0, 0, 0, 0.142857),
    }
    total = bill().total
    assert (total.capacity_gpu_hours, round(float(total.allocated_gpu_hours), 6), round(float(total.used_gpu_hours), 6)) == (2, 1.857143, 1.545555)
    # 341.276 W of the cut board once, however many rows repeat it, and 688.031 W of the other, for one hour.
    assert float(total.energy_kwh) == pytest.approx(1.029307, abs=1e-6)


SLOTS = {"embed-5f7cb-aa1": (0.25, 0.198007), "ocr-77d9-bb2": (0.5, 0.396014), "": (0, 0)}


@pytest.mark.parametrize(
    ("page", "right"),
    [
        # 0.594021 once, in proportion to one slot and two.
        pytest.param("c-t4-timesliced-vgpu", SLOTS, id="D17-D18-D21"),
        # 0.594021 as 41 is to 20: 0.399260, of which a quarter of a board is all that embed holds, and 0.194761.
        pytest.param("c2-t4-perprocess", {"embed-5f7cb-aa1": (0.25, 0.25), "ocr-77d9-bb2": (0.5, 0.194761), "": (0, 0)}, id="D20"),
        # Zeros for every pod beside a device at 62 are none of theirs.
        pytest.param("c3-t4-perprocess-false-zero", SLOTS, id="D20-false-zeros"),
        # ocr alone is named on the board; embed may be on either, half on each: 0.594021 as 0.5 is to 0.125.
        pytest.param("c4-t4-shared-one-label", {"embed-5f7cb-aa1": (0.25, 0.118804), "ocr-77d9-bb2": (0.5, 0.475217), "": (0, 0)}, id="D16-one-label"),
    ],
)
def test_a_board_shared_in_slots(page: str, right: dict, tmp_path) -> None:
    t4(page).collected(tmp_path)
    assert hours("allocated", "used") == right
    total = bill().total
    assert (total.capacity_gpu_hours, total.unallocated_gpu_hours) == (2, 1.25)


def v100() -> Scraped:
    return Scraped().node("n1", **{GPU: 2}).hold("team-bio", "fold-batch-19-h5c2l")


def test_names_of_the_old_exporter(tmp_path) -> None:
    """Page d: pod_name and pod_namespace, uuid, Hostname the exporter's own pod."""
    v100().exporter("dcgm-exporter-x7k2p", node="n1").page("d-old-podname").collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"fold-batch-19-h5c2l": (1, 0.851904, 0, 0), "": (0, 0, 0, 1)}


def test_names_of_the_first_exporter(tmp_path) -> None:
    """Page d2: per cent only, no Hostname; the node by the address that was scraped."""
    fleet = v100().exporter("pod-gpu-metrics-exporter-4x", node="n1", address="10.42.0.8")
    fleet.page("d2-1x-pod-gpu-metrics", instance="10.42.0.8:9400").collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"fold-batch-19-h5c2l": (1, 0.88, 0, 0), "": (0, 0, 0, 1)}


@pytest.mark.parametrize("page", ["e-exported-pod", "e2-honorlabels-true-idle", pytest.param("e3-mixed-exported-namespace", id="D10")])
def test_the_exporters_own_pod_never_pays(page: str, tmp_path) -> None:
    node = "gpu-l40s-03.prod.example.net"
    fleet = Scraped().node(node, **{GPU: 2}).exporter("nvidia-dcgm-exporter-8wq4z", node=node, address="10.42.3.17")
    fleet.hold("team-rec", "ranker-train-2", node=node).page(page).collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {"ranker-train-2": (1, 0.702218, 0, 0), "": (0, 0, 0, 1)}
    assert set(hours("allocated", by="namespace")) == {"team-rec", ""}


def test_profiling_without_gpu_util(tmp_path) -> None:
    """Page g: a list of counters without GPU_UTIL is no lack."""
    fleet = Scraped().node("gpu-h200-11", **{GPU: 4}).hold("team-llm", "pretrain-0", 2, node="gpu-h200-11")
    fleet.hold("team-rl", "rollout-8-2lz9f", node="gpu-h200-11").page("g-hopper-prof-only").collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated") == {
        "pretrain-0": (2, 1.986117, 0, 0), "rollout-8-2lz9f": (1, 0.118004, 0, 0), "": (0, 0, 0, 1)}  # fmt: skip


def test_canonical_names(tmp_path) -> None:
    """Page h: hostname in small letters, GPU_UTIL_RATIO 98, which is no 98 GPUs; a worker at 0.9 % is all but idle."""
    fleet = Scraped().node("gpu-b200-21", **{GPU: 3}).hold("team-llm", "sft-17-master-0", node="gpu-b200-21")
    fleet.hold("team-llm", "sft-17-worker-0", node="gpu-b200-21").page("h-dcgm46-canonical-names").collected(tmp_path)
    assert hours("allocated", "used", "idle") == {"sft-17-master-0": (1, 0.971102, 0.028898), "sft-17-worker-0": (1, 0.00912, 0.99088), "": (0, 0, 0)}


def test_canonical_gpu_util_is_a_per_cent(tmp_path) -> None:
    fleet = Scraped().node(**{GPU: 1}).hold("ml", "a")
    fleet.put("DCGM_FI_DEV_GPU_UTIL_RATIO", {"UUID": "GPU-1", "hostname": "n1", "modelName": "NVIDIA B200"}, 98).collected(tmp_path)
    assert hours("allocated", "used") == {"a": (1, 0.98)}


def test_a_job_per_row_is_one_device(tmp_path) -> None:
    """Page j (D66): two batch jobs on one board print its value twice; whoever holds the node used 0.884 + 0.931 + 0."""
    fleet = Scraped().node("hpc-node-114", **{GPU: 3}).hold("slurm", "worker-114", 3, node="hpc-node-114").page("j-hpc-job-shared")
    fleet.collected(tmp_path)
    assert hours("allocated", "used", "unmeasured") == {"worker-114": (3, 1.815, 0)}


def test_one_host_name_on_every_node(tmp_path) -> None:
    """Page k (D61): Hostname is the engine's service; the exporters' pods tell the nodes."""
    fleet = Scraped().node("gpu-5").node("gpu-6")
    fleet.exporter("nvidia-dcgm-exporter-4hj7d", node="gpu-5", address="10.42.5.9").exporter("nvidia-dcgm-exporter-t9c3x", node="gpu-6", address="10.42.6.12")
    fleet.hold("team-web", "sd-api-1", node="gpu-5").hold("team-ads", "bidder-9", node="gpu-6").page("k-remote-hostengine-two-nodes")
    fleet.collected(tmp_path)
    assert hours("used", "idle", "unmeasured") == {"sd-api-1": (0.601, 0.399, 0), "bidder-9": (0.098, 0.902, 0)}
    assert hours("allocated", by="node") == {"gpu-5": (1,), "gpu-6": (1,)}
    assert bill().total.cost == 2


def test_boards_held_by_claims(tmp_path) -> None:
    """Page i (D09): a whole board, an instance and a board two pods share, all by claim and none by a request: paid for, and nobody's."""
    fleet = Scraped().node("gpu-dra-05", **{GPU: 3}).page("i-dra-claims")
    fleet.hold("team-data", "other", node="elsewhere").collected(tmp_path)
    assert hours("allocated", "used", "unallocated", by="team") == {"unallocated": (0, 0, 3)}
    # 590.2 + 201.7 + 260.4 W, the shared board's once.
    assert float(bill().total.energy_kwh) == pytest.approx(1.0523, abs=1e-6)
