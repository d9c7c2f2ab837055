"""How much of a GPU a pod holds, and how much of that it used."""

from decimal import Decimal

import pytest

from tests.cases_opencost.ground import GPU, PER_DAY, WHOLE, Ground, bill, cluster, price, rows
from tests.fleet import minutes

D = Decimal
SHARED, VIRTUAL, ONE_G, THREE_G = "nvidia_com_gpu_shared", "k8s_amazonaws_com_vgpu", "nvidia_com_mig_1g_5gb", "nvidia_com_mig_3g_20gb"
pytestmark = pytest.mark.django_db


def held() -> dict[str, Decimal]:
    return {pod: row.allocated_gpu_hours for pod, row in rows("pod").items() if pod}


def used() -> dict[str, float]:
    return {pod: round(float(row.used_gpu_hours), 6) for pod, row in rows("pod").items() if pod}


def test_a_gpu_busy_eleven_per_cent(tmp_path) -> None:  # OC-1
    price("2.50")
    Ground().node().hold("a").card("GPU-1", "a", busy=0.11).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.cost) == (1, D("2.50"))
    assert (total.used_gpu_hours, total.used_cost, total.idle_cost) == (D("0.11"), D("0.275"), D("2.225"))


@pytest.mark.parametrize(
    ("busy", "right"), [pytest.param([1.0] * 8, 8, id="OC-2"), pytest.param([1.0, 0.0], 1, id="OC-3")]
)
def test_the_gpus_of_one_pod_are_summed_never_divided_again(busy: list[float], right: int, tmp_path) -> None:
    fleet = Ground().node(**{GPU: len(busy)}).hold("a", len(busy))
    for n, fraction in enumerate(busy):
        fleet.card(f"GPU-{n}", "a", busy=fraction)
    fleet.collected(tmp_path)
    total = bill().total
    assert (total.used_gpu_hours, total.allocated_gpu_hours, total.efficiency) == (right, len(busy), right / len(busy))


def test_an_old_window_keeps_its_own_use(tmp_path) -> None:  # OC-4
    friday = 4 * 24
    both = [*WHOLE, *minutes(friday * 60 - 20, friday * 60 + 140)]
    fleet = Ground().node(times=both).hold("a", times=both)
    fleet.card("GPU-1", "a", busy=0.9, times=WHOLE).card("GPU-1", "a", busy=0.1, times=both[len(WHOLE):])
    fleet.collected(tmp_path, hours=(0, friday))
    assert [bill(first=hour).total.used_gpu_hours for hour in (friday, 0)] == [D("0.1"), D("0.9")]


@pytest.mark.parametrize(
    ("resource", "labels"),
    [
        pytest.param(GPU, {"nvidia_com_gpu_count": "1", "nvidia_com_gpu_replicas": "4"}, id="OC-5"),
        pytest.param(SHARED, {}, id="OC-6 renamed"),
        pytest.param(GPU, {"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-SHARED"}, id="OC-6 not renamed"),
    ],
)
def test_four_pods_on_one_gpu_are_one_gpu(resource: str, labels: dict[str, str], tmp_path) -> None:
    price("2")
    fleet = Ground().node(**{resource: 4}).card("GPU-1").node_labels(**labels)
    for name in "abcd":
        fleet.hold(name, resource=resource)
    fleet.collected(tmp_path)
    assert held() == dict.fromkeys("abcd", D("0.25"))
    assert (bill().total.capacity_gpu_hours, bill().total.cost) == (1, 2)


def test_free_replicas_are_unallocated(tmp_path) -> None:  # OC-7
    Ground().node(**{SHARED: 4}).hold("a", resource=SHARED).card("GPU-1", "a", busy=0.2).collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.unallocated_gpu_hours, total.capacity_gpu_hours) == (D("0.25"), D("0.75"), 1)
    assert total.used_gpu_hours == D("0.2")  # alone on the board, it is all of the board's busy time


def test_one_pod_never_uses_more_than_its_share(tmp_path) -> None:  # OC-7
    Ground().node(**{SHARED: 4}).hold("a", resource=SHARED).card("GPU-1", "a", busy=0.8).collected(tmp_path)
    assert used() == {"a": 0.25}


def test_seven_slices_cost_one_card(tmp_path) -> None:  # OC-8
    price("3")
    fleet = Ground().node(**{ONE_G: 7})
    for n in range(7):
        fleet.hold(f"p{n}", resource=ONE_G).slice("GPU-1", str(n + 7), "1g.5gb", f"p{n}")
    fleet.collected(tmp_path)
    costs = {pod: row.cost for pod, row in rows("pod").items() if pod}
    assert sum(costs.values()) == bill().total.cost == 3
    assert {round(cost, 8) for cost in costs.values()} == {D("0.42857143")} and len(costs) == 7


def test_a_cards_day_in_slices_adds_up_to_its_price(tmp_path) -> None:  # OC-9
    price("3")  # 2016 for 28 days
    cluster(interval=300)
    fleet = Ground().node(nvidia_com_mig_4g_20gb=1, nvidia_com_mig_2g_10gb=1, nvidia_com_mig_1g_5gb=1, times=PER_DAY)
    for name, size, length, instance in (("a", "4g_20gb", 2, "1"), ("b", "1g_5gb", 6, "9"), ("c", "2g_10gb", 2, "5")):
        times = range(0, length * 3600 + 300, 300)
        fleet.hold(name, resource=f"nvidia_com_mig_{size}", times=times, phase="Succeeded", completed=length * 3600)
        fleet.slice("GPU-1", instance, size.replace("_", "."), name, times=times)
    fleet.collected(tmp_path, hours=range(24))
    got = {pod: round(row.cost, 6) for pod, row in rows("pod", hours=24).items()}
    assert got == {"a": D("3.428571"), "b": D("2.571429"), "c": D("1.714286"), "": D("64.285714")}
    assert bill(hours=24).total.cost == 72
    assert round(bill(hours=24).total.allocated_gpu_hours * 3, 3) == D("7.714")


def test_the_free_part_of_a_card_cut_in_two_is_kept(tmp_path) -> None:  # OC-10
    price("3")
    cluster(interval=300)
    fleet = Ground().node(**{GPU: 2}, times=PER_DAY).node_labels(nvidia_com_gpu_product="NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", times=PER_DAY)
    fleet.hold("a", times=PER_DAY).slice("GPU-1", "1", "3g.20gb", "a", times=PER_DAY).slice("GPU-1", "2", "3g.20gb", times=PER_DAY)
    fleet.collected(tmp_path, hours=range(24))
    got = {pod: round(row.cost, 3) for pod, row in rows("pod", hours=24).items()}
    assert got == {"a": D("30.857"), "": D("41.143")}
    assert bill(hours=24).total.cost == 72


def physical(capacity: dict[str, int], instances: dict[str, int], product: str = "", **more) -> Decimal:
    """GPU-hours of an hour of a node; `instances`: MIG instances by board, 0 for a whole board."""
    fleet = Ground().node(**capacity).node_labels(nvidia_com_gpu_product=product, **more)
    for uuid, count in instances.items():
        for n in range(count):
            fleet.slice(uuid, str(n + 1), "1g.5gb")
        if not count:
            fleet.card(uuid)
    return fleet


@pytest.mark.parametrize(
    ("capacity", "instances", "product", "right"),
    [
        pytest.param({ONE_G: 7}, {"GPU-1": 7}, "NVIDIA-A100-SXM4-40GB", 1, id="OC-11 mixed"),
        pytest.param({GPU: 7}, {"GPU-1": 7}, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", 1, id="OC-11 single"),
        pytest.param({GPU: 2, ONE_G: 10}, {"GPU-1": 7, "GPU-2": 3}, "NVIDIA-A100-SXM4-40GB", 2, id="OC-12 both sliced"),
        pytest.param({GPU: 1, ONE_G: 7}, {"GPU-1": 0, "GPU-2": 7}, "NVIDIA-A100-SXM4-40GB", 2, id="OC-12 one sliced"),
        pytest.param({ONE_G: 3, "nvidia_com_mig_2g_10gb": 2}, {"GPU-1": 5}, "NVIDIA-A100-SXM4-40GB", 1, id="OC-14"),
    ],
)
def test_slices_are_never_more_gpus_than_there_are(capacity, instances, product, right, tmp_path) -> None:
    physical(capacity, instances, product).collected(tmp_path)
    assert bill().total.capacity_gpu_hours == right


def test_five_of_ten_virtual_gpus_are_half_a_gpu(tmp_path) -> None:  # OC-13
    price("2")
    Ground().node(**{VIRTUAL: 10}).hold("a", 5, resource=VIRTUAL).card("GPU-1", "a").collected(tmp_path)
    total = bill().total
    assert (total.allocated_gpu_hours, total.capacity_gpu_hours, total.unallocated_cost, total.cost) == (D("0.5"), 1, 1, 2)


def test_a_board_of_two_pods_that_names_one_is_shared_out(tmp_path) -> None:  # OC-15
    fleet = Ground().node(**{SHARED: 2}).hold("a", resource=SHARED).hold("b", resource=SHARED)
    fleet.card("GPU-1", "a", busy=0.8).collected(tmp_path)
    assert held() == dict.fromkeys("ab", D("0.5"))
    assert used() == {"a": 0.4, "b": 0.4}
