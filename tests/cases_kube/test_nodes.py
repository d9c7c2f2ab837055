"""What a node has, and from when to when, whatever its device plugin, its scaler and its name do."""

import pytest
from django.db import connection

from finops.models import Rate
from tests.cases_kube.ground import D, Ground, hours, thirds
from tests.fleet import GPU, bill, minutes

pytestmark = pytest.mark.django_db
AWS = {"label_karpenter_k8s_aws_instance_gpu_count": "8", "label_karpenter_k8s_aws_instance_gpu_manufacturer": "nvidia",
       "label_karpenter_k8s_aws_instance_gpu_name": "a100"}  # fmt: skip
GFD = {"label_nvidia_com_gpu_count": "8", "label_nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB"}


def capacity(ground: Ground, units: int, times, node: str = "n1") -> Ground:
    return ground.put("kube_node_status_capacity", {"node": node, "resource": GPU, "unit": "integer"}, units, times)


def kinds() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("select kind, message from finding")
        return dict(cursor.fetchall())


@pytest.mark.parametrize("row", ["F9"])
def test_a_plugin_that_restarts_makes_no_hole(row: str, tmp_path) -> None:
    """Eight, nothing for two minutes, eight: neither idle nor negative."""
    ground = Ground().bound("a", 8, at=-20, started=-20).told("kube_node_created", -900, {"node": "n1"})
    capacity(capacity(capacity(ground, 8, minutes(-20, 30)), 0, minutes(30, 32)), 8, minutes(32, 140)).collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (8, 0)}


@pytest.mark.parametrize("row", ["F10"])
def test_allocatable_is_not_what_is_free(row: str, tmp_path) -> None:
    """The one GPU stays allocatable while a pod holds it."""
    ground = Ground().node().bound("a", at=-20, started=-20)
    ground.put("kube_node_status_allocatable", {"node": "n1", "resource": GPU, "unit": "integer"}, 1).collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (1, 0)}


@pytest.mark.parametrize("row", ["F9-for-hours"])
def test_a_plugin_that_is_away_for_hours(row: str, tmp_path) -> None:
    """Capacity and allocatable are 0 from 10:30 on; the machine is there and paid for, and its label counts the boards."""
    ground = Ground().bound("a", 8, at=-20, started=-20, times=minutes(-20, 200)).put("kube_node_labels", {"node": "n1", **GFD}, 1, minutes(-20, 200))
    ground.told("kube_node_created", -900, {"node": "n1"}, minutes(-20, 200))
    capacity(capacity(ground, 8, minutes(-20, 30)), 0, minutes(30, 200))
    ground.put("kube_node_status_allocatable", {"node": "n1", "resource": GPU, "unit": "integer"}, 0, minutes(-20, 200))
    ground.collected(tmp_path, hours=(0, 1, 2))
    assert [hours("allocated", "unallocated", first=n) for n in range(3)] == [{"ml": (8, 0)}] * 3
    assert "no_capacity" in kinds()


@pytest.mark.parametrize(("labels", "shown"), [
    pytest.param(AWS, False, id="J3-nothing-shown"), pytest.param(AWS, True, id="J3-zero-shown"), pytest.param(GFD, True, id="J3-discovered"),
])  # fmt: skip
def test_a_gpu_node_that_never_registers_is_paid_for(labels: dict, shown: bool, tmp_path) -> None:
    """Created at 10:15, gone at 11:30, and no GPU ever offered: eight boards all that time, nobody's."""
    ground = Ground().told("kube_node_created", 15, {"node": "n1"}, minutes(15, 90)).put("kube_node_labels", {"node": "n1", **labels}, 1, minutes(15, 90))
    if shown:
        capacity(ground, 0, minutes(15, 90))
    ground.node("n2").collected(tmp_path, hours=(0, 1))
    assert hours("unallocated", by="node") == {"n1": (6,), "n2": (1,)}
    assert hours("unallocated", by="node", first=1) == {"n1": ((8 * D("29.5") / 60).quantize(D("1e-10")),), "n2": (1,)}


def test_a_node_of_another_maker_is_not_ours(tmp_path) -> None:
    amd = AWS | {"label_karpenter_k8s_aws_instance_gpu_manufacturer": "amd"}
    Ground().node("n2").told("kube_node_created", 0, {"node": "n1"}).put("kube_node_labels", {"node": "n1", **amd}, 1).collected(tmp_path)
    assert hours("unallocated", by="node") == {"n2": (1,)}


@pytest.mark.parametrize("row", ["J3-warm-up"])
def test_the_minutes_before_a_node_offers_its_gpus_count(row: str, tmp_path) -> None:
    """Created at 10:40, its eight GPUs offered from 11:15 on and held from 11:20 on."""
    ground = Ground().told("kube_node_created", 40, {"node": "n1"}, minutes(40, 140)).put("kube_node_labels", {"node": "n1", **AWS}, 1, minutes(40, 140))
    capacity(ground, 8, minutes(75, 140)).node("n2").bound("a", 8, at=80, started=80, times=minutes(80, 140)).collected(tmp_path, hours=(0, 1))
    nobody, held = ((8 * D(m) / 60).quantize(D("1e-10")) for m in (20, 40))
    assert hours("unallocated", by="node") == {"n1": (nobody,), "n2": (1,)}
    assert hours("allocated", "unallocated", by="namespace", first=1) == {"ml": (held, 0), "": (0, nobody + 1)}


@pytest.mark.parametrize("row", ["F7"])
def test_a_pod_on_a_node_that_offers_no_such_gpu(row: str, tmp_path) -> None:
    """Two GPUs given through a claim: what the node has is unknown. It is a finding, not a negative rest."""
    Ground().node("n2").bound("a", 2, at=-20, started=-20).collected(tmp_path)
    assert hours("allocated", "unallocated", by="node") == {"n2": (0, 1)}
    assert kinds()["unknown_node"] == (
        "1 pods hold GPUs on n1, and nothing tells that it has any; they are charged to no node"
    )


@pytest.mark.parametrize("row", ["F7-counted"])
def test_a_pod_on_a_node_whose_label_counts_gpus(row: str, tmp_path) -> None:
    ground = Ground().bound("a", 2, at=-20, started=-20).put("kube_node_labels", {"node": "n1", **GFD}, 1)
    ground.told("kube_node_created", -900, {"node": "n1"}).collected(tmp_path)
    assert hours("allocated", "unallocated") == {"ml": (2, 0), "": (0, 6)}
    assert kinds()["no_capacity"] == "n1 tells of no GPU capacity; the 8 boards seen on it or counted by its labels are its capacity"


@pytest.mark.parametrize("row", ["F8"])
def test_pods_and_rest_add_up_to_the_node(row: str, tmp_path) -> None:
    """Ten renamed slots on two boards at 3 an hour, three of them held: shares of a board, and never more than the node's price."""
    Rate.objects.create(price="3", currency="CHF")
    ground = Ground().node(nvidia_com_gpu_shared=10).card("GPU-1", busy=0.0).card("GPU-2", busy=0.0)
    ground.bound("a", 1, at=-20, started=-20, resource="nvidia_com_gpu_shared").bound("b", 2, at=-20, started=-20, resource="nvidia_com_gpu_shared")
    ground.collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"a": (D("0.2"), 0), "b": (D("0.4"), 0), "": (0, D("1.4"))}
    assert [(row.keys["pod"], row.cost) for row in bill("pod").rows] == [("", D("4.2")), ("b", D("1.2")), ("a", D("0.6"))]


@pytest.mark.parametrize("row", ["J4"])
def test_nodes_that_live_eight_minutes(row: str, tmp_path) -> None:
    """Seven nodes of four GPUs, one after the other: created on the full minute, last seen seven minutes later."""
    ground = Ground()
    for n in range(7):
        times = minutes(8 * n, 8 * n + 8)
        capacity(ground.told("kube_node_created", 8 * n, {"node": f"spot-{n}"}, times), 4, times, f"spot-{n}")
        ground.put("kube_node_info", {"node": f"spot-{n}", "system_uuid": f"machine-{n}"}, 1, times)
    ground.collected(tmp_path)
    assert hours("unallocated", by="node") == {f"spot-{n}": (D("0.5"),) for n in range(7)}


@pytest.mark.parametrize("row", ["J5"])
def test_two_scalers_for_one_pod_are_two_paid_nodes(row: str, tmp_path) -> None:
    ground = Ground()
    for name, pool in (("k1", "label_karpenter_sh_nodepool"), ("c1", "label_eks_amazonaws_com_nodegroup")):
        ground.node(name).put("kube_node_labels", {"node": name, pool: f"{name}-pool"}, 1)
    ground.bound("a", node="k1", at=-20, started=-20).collected(tmp_path)
    assert hours("allocated", "unallocated", by="node_pool") == {"k1-pool": (1, 0), "c1-pool": (0, 1)}


def test_a_name_that_another_machine_takes_over(tmp_path) -> None:
    """n1 leaves at 10:30, last seen at 10:29; another machine bears its name from 12:00 on: the time between is nobody's capacity."""
    ground = Ground()
    for machine, created, times in (("old", -900, minutes(-20, 30)), ("new", 120, minutes(120, 200))):
        ground.told("kube_node_created", created, {"node": "n1"}, times).put("kube_node_info", {"node": "n1", "system_uuid": machine}, 1, times)
        capacity(ground, 1, times)
    ground.node("n2", times=minutes(-20, 200)).collected(tmp_path, hours=(0, 1, 2))
    assert [hours("unallocated", by="node", first=n).get("n1") for n in range(3)] == [thirds(29.5), None, (1,)]


def test_a_name_that_another_machine_takes_over_within_the_hour(tmp_path) -> None:
    """n1 is last seen at 10:19, the next machine of its name is created at 10:40: nothing is charged between them."""
    ground = Ground()
    for machine, created, times in (("old", -900, minutes(-20, 20)), ("new", 40, minutes(40, 140))):
        ground.told("kube_node_created", created, {"node": "n1"}, times).put("kube_node_info", {"node": "n1", "system_uuid": machine}, 1, times)
        capacity(ground, 1, times)
    ground.bound("a", at=-20, started=-20, times=minutes(-20, 20)).bound("b", at=45, started=45, times=minutes(45, 140)).collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"a": (*thirds(19.5), 0), "b": (*thirds(15), 0), "": (0, *thirds(5))}
