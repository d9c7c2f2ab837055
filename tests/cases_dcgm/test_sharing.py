"""Several pods on a board, boards an exporter hides, and what a slot is worth."""

import pytest
from django.db import connection

from tests.cases_dcgm.scraped import GPU, WHOLE, Scraped, bill, hours, minutes, sources

pytestmark = pytest.mark.django_db
T4 = "Tesla T4"
SHARED = {"label_nvidia_com_gpu_count": "1", "label_nvidia_com_gpu_replicas": "4"}


def board(uuid: str = "GPU-1") -> dict[str, str]:
    return {"UUID": uuid, "Hostname": "n1", "modelName": T4}


def slots(units: int = 4, **labels: str) -> Scraped:
    fleet = Scraped().node(**{GPU: units})
    return fleet.put("kube_node_labels", {"node": "n1", **(labels or SHARED)}, 1)


def util(fleet: Scraped, value: float, pod: str = "", times=WHOLE) -> Scraped:
    named = {"exported_pod": pod, "exported_namespace": "ml"} if pod else {}
    return fleet.put("DCGM_FI_DEV_GPU_UTIL", board() | named, value, times)


def test_the_one_label_flips_between_two_holders(tmp_path) -> None:
    """D16: each pays its slot and used its part, whichever the exporter names."""
    fleet = slots().hold("ml", "a").hold("ml", "b", 2)
    even, odd = WHOLE[::2], WHOLE[1::2]
    fleet.card("GPU-1", "a", model=T4, busy=0.6, times=even).card("GPU-1", "b", model=T4, busy=0.6, times=odd).collected(tmp_path)
    assert hours("allocated", "used", "unallocated") == {"a": (0.25, 0.2, 0), "b": (0.5, 0.4, 0), "": (0, 0, 0.25)}


def test_copies_of_one_value_are_one(tmp_path) -> None:
    """D17: three pods, each row the whole board's 0.71."""
    fleet = slots()
    for pod in "abc":
        fleet.hold("ml", pod).card("GPU-1", pod, model=T4, busy=0.71)
    fleet.collected(tmp_path)
    assert hours("used") == {"a": (0.236667,), "b": (0.236667,), "c": (0.236667,), "": (0,)}
    assert float(bill().total.used_gpu_hours) == pytest.approx(0.71, abs=1e-6)


@pytest.mark.parametrize("seen", [1, 3])
def test_whole_boards_that_are_not_seen_were_paid_for(seen: int, tmp_path) -> None:
    """D18, D52: capacity 8, and the exporter shows only the boards in use."""
    fleet = Scraped().node(**{GPU: 8})
    for n in range(seen):
        fleet.hold("ml", f"p{n}").card(f"GPU-{n}", f"p{n}")
    fleet.collected(tmp_path)
    assert hours("allocated", "used", "unallocated") == {f"p{n}": (1, 0.5, 0) for n in range(seen)} | {"": (0, 0, 8 - seen)}


@pytest.mark.parametrize(
    ("units", "labels", "seen", "share"),
    [
        pytest.param(8, {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "4"}, 2, 0.25, id="D21"),
        pytest.param(8, {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "8"}, 2, 0.25, id="D21-count-times-replicas"),
        pytest.param(8, {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "1"}, 2, 0.25, id="D21-one"),
        pytest.param(8, {"label_nvidia_com_gpu_count": "8", "label_nvidia_com_gpu_replicas": "4"}, 2, 0.25, id="D21-count-of-slots"),
        pytest.param(8, {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "4"}, 1, 0.25, id="D18"),
        pytest.param(8, {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_replicas": "4"}, 0, 0.25, id="D54"),
    ],
)
def test_a_slot_is_the_capacity_by_the_boards(units: int, labels: dict, seen: int, share: float, tmp_path) -> None:
    fleet = slots(units, **labels).hold("ml", "a").hold("ml", "b", 2)
    for n in range(seen):
        fleet.card(f"GPU-{n}", model=T4, busy=0.5)
    fleet.collected(tmp_path)
    assert hours("allocated", "unallocated") == {"a": (share, 0), "b": (2 * share, 0), "": (0, 2 - 3 * share)}


def test_a_board_that_tells_its_memory_alone_is_one_of_the_slots_boards(tmp_path) -> None:
    """D52, D21: eight slots on two boards, one without a utilisation series, no label on the node."""
    fleet = Scraped().node(**{"nvidia_com_gpu_shared": 8}).hold("ml", "a", 2, resource="nvidia_com_gpu_shared").card("GPU-1", model=T4, busy=0.1)
    for uuid in ("GPU-1", "GPU-2"):
        fleet.put("DCGM_FI_DEV_FB_USED", board(uuid), 1000)
    fleet.collected(tmp_path)
    # Its slots may be on either board: half of them are unmeasured.
    assert hours("allocated", "unmeasured", "unallocated") == {"a": (0.5, 0.25, 0), "": (0, 0, 1.5)}


def test_whole_boards_are_not_shared_because_two_names_meet(tmp_path) -> None:
    """D18, D64: four of eight boards are shown, and a second exporter goes on naming a pod that is gone from its board."""
    fleet = Scraped().node(**{GPU: 8}).put("kube_node_labels", {"node": "n1", "label_nvidia_com_gpu_count": "8", "label_nvidia_com_gpu_replicas": "1"}, 1)
    fleet.hold("ml", "a", until=600).hold("ml", "b", since=600, times=minutes(10, 140))
    fleet.card("GPU-1", "a", times=minutes(-20, 40), job="chart").card("GPU-1", "b", times=minutes(10, 140), job="operator")
    for n in (2, 3, 4):
        fleet.hold("ml", f"p{n}").card(f"GPU-{n}", f"p{n}")
    fleet.collected(tmp_path)
    assert hours("allocated") == {"a": (0.166667,), "b": (0.833333,), "p2": (1,), "p3": (1,), "p4": (1,), "": (0,)}


@pytest.mark.parametrize(
    ("busy", "of_a", "of_b", "right"),
    [
        pytest.param(60, 45, 15, (0.45, 0.15), id="D20"),  # their own values, as 3 is to 1
        pytest.param(60, 60, 0, (0.5, 0.0), id="D20-one-works"),  # cut at what a holds
        pytest.param(60, 0, 0, (0.3, 0.3), id="D20-false-zeros"),
        pytest.param(60, 20, 5, (0.3, 0.3), id="D20-too-little"),  # 25 of 60 explains less than half
        pytest.param(0, 0, 0, (0.0, 0.0), id="D20-idle"),
    ],
)
def test_own_values_of_pods_on_a_board(busy: float, of_a: float, of_b: float, right: tuple, tmp_path) -> None:
    fleet = slots(2, label_nvidia_com_gpu_count="1", label_nvidia_com_gpu_replicas="2").hold("ml", "a").hold("ml", "b")
    util(util(util(fleet, busy), of_a, "a"), of_b, "b").collected(tmp_path)
    assert hours("allocated", "used", "unmeasured") == {"a": (0.5, right[0], 0), "b": (0.5, right[1], 0)}


@pytest.mark.parametrize(
    ("of_a", "of_b", "marked"),
    [pytest.param(45, 15, {"gpu_util"}, id="own-values"), pytest.param(0, 0, {"gpu_util+estimated"}, id="shared-out")],
)
def test_what_is_shared_out_is_marked(of_a: float, of_b: float, marked: set[str], tmp_path) -> None:
    fleet = slots(2, label_nvidia_com_gpu_count="1", label_nvidia_com_gpu_replicas="2").hold("ml", "a").hold("ml", "b")
    util(util(util(fleet, 60), of_a, "a"), of_b, "b").collected(tmp_path)
    assert sources() == marked


def test_only_while_two_share_it_is_it_an_estimate(tmp_path) -> None:
    """b ends at half past ten; the half hour after it a has the board alone."""
    fleet = slots(2, label_nvidia_com_gpu_count="1", label_nvidia_com_gpu_replicas="2").hold("ml", "a").hold("ml", "b", until=1800)
    util(fleet, 60).collected(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("select extract(minute from quarter)::int, source from use_quarter where uid = 'uid-a' order by 1")
        assert cursor.fetchall() == [(0, "gpu_util+estimated"), (15, "gpu_util+estimated"), (30, "gpu_util"), (45, "gpu_util")]


def test_copies_beside_the_boards_row_are_no_own_values(tmp_path) -> None:
    """D17, D20: by one slot and two, not as 60 is to 60."""
    fleet = slots().hold("ml", "a").hold("ml", "b", 2)
    util(util(util(fleet, 60), 60, "a"), 60, "b").collected(tmp_path)
    assert hours("used") == {"a": (0.2,), "b": (0.4,), "": (0,)}


def test_a_pod_whose_values_fail_for_a_while(tmp_path) -> None:
    """D20: after half past ten b has no row of its own; from then on both go by their slots."""
    fleet = slots(2, label_nvidia_com_gpu_count="1", label_nvidia_com_gpu_replicas="2").hold("ml", "a").hold("ml", "b")
    util(util(util(fleet, 40), 30, "a"), 10, "b", minutes(-20, 30)).collected(tmp_path)
    # The row of 10:29 speaks until 10:29:30: 29.5 min at 0.3 and 0.1, 30.5 min at 0.2 each.
    assert hours("used") == {"a": (0.249167,), "b": (0.150833,)}


def test_a_label_names_the_wrong_board_under_mps(tmp_path) -> None:
    """D19: the work is on GPU-1, every label on GPU-2. The label holds; the capacity and the cost are right all the same."""
    fleet = slots(8, label_nvidia_com_gpu_count="2", label_nvidia_com_gpu_replicas="4").hold("ml", "a", 2).hold("ml", "b", 2)
    fleet.card("GPU-1", model=T4, busy=1.0).card("GPU-2", "a", model=T4, busy=0.0).card("GPU-2", "b", model=T4, busy=0.0).collected(tmp_path)
    assert hours("allocated", "used", "unallocated") == {"a": (0.5, 0, 0), "b": (0.5, 0, 0), "": (0, 0, 1)}
    assert bill().total.cost == 2
