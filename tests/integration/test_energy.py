"""Energy reaches the ledger once per board."""

from datetime import timedelta

import pytest

from finops.models import Rate, TeamRule
from tests.fleet import GPU, TEN, WHOLE, Fleet, bill, minutes

MIG = "nvidia_com_mig_3g_20gb"


@pytest.fixture(autouse=True)
def team(db) -> None:
    TeamRule.objects.create(position=0, kind="match", name="fraud", match={"namespace": "ml"})


def kwh() -> dict[str, float]:
    answer = bill("team")
    found = {row.keys["team"]: float(row.energy_kwh) for row in answer.rows if row.energy_kwh is not None}
    assert sum(found.values()) == pytest.approx(float(answer.total.energy_kwh or 0))
    return found


def test_a_free_board_is_nobodys(tmp_path) -> None:
    Fleet().node(**{GPU: 2}).pod("a").card("GPU-1", "a", watts=400).card("GPU-2", watts=60).collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.4, "unallocated": 0.06})


def test_a_price_change_does_not_double_it(tmp_path) -> None:
    Rate.objects.create(price="3", currency="CHF", end=TEN + timedelta(minutes=20))
    Rate.objects.create(price="4", currency="CHF", start=TEN + timedelta(minutes=20))
    Fleet().node().pod("a").card("GPU-1", "a", watts=400).collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.4})


def test_a_held_half_hour(tmp_path) -> None:
    fleet = Fleet().node().pod("a", times=minutes(-20, 30)).card("GPU-1", "a", watts=400, times=minutes(-20, 30))
    who = {"namespace": "ml", "pod": "a", "uid": "uid-a"}
    fleet.put("kube_pod_completion_time", who, TEN.timestamp() + 1800, minutes(30, 60))
    fleet.put("kube_pod_status_phase", who | {"phase": "Succeeded"}, 1, minutes(30, 60))
    fleet.card("GPU-1", watts=400, times=minutes(30, 140)).collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.2, "unallocated": 0.2})


def test_a_board_that_is_replaced_gives_its_own_time(tmp_path) -> None:
    """400 W until 10:24:30 and 200 W from then on: 400 x 24.5 + 200 x 35.5 = 16,900 watt-minutes, in one slot and one quarter cut in two."""
    fleet = Fleet().node().pod("a").card("GPU-1", "a", watts=400, times=minutes(-20, 25), pci_bus_id="00000000:07:00.0")
    fleet.card("GPU-2", "a", watts=200, times=minutes(25, 140), pci_bus_id="00000000:07:00.0").collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.281667}, abs=1e-6)


def test_a_boards_power_is_split_by_slices(tmp_path) -> None:
    fleet = Fleet().node(**{MIG: 2}).pod("a", resource=MIG).pod("b", resource=MIG).put(
        "DCGM_FI_DEV_POWER_USAGE", {"UUID": "GPU-1", "Hostname": "n1", "modelName": "NVIDIA A100-SXM4-40GB"}, 700, WHOLE)  # fmt: skip
    for number, owner in (("1", "a"), ("2", "b")):
        fleet.card("GPU-1", owner, watts=700, GPU_I_ID=number, GPU_I_PROFILE="3g.20gb")
    fleet.collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.6, "unallocated": 0.1})


def test_boards_whose_pods_nobody_told_are_their_holders(tmp_path) -> None:
    Fleet().node(**{GPU: 3}).pod("a").pod("b").card("GPU-1", watts=300).card("GPU-2", watts=300).card("GPU-3", watts=300).collected(tmp_path)
    assert kwh() == pytest.approx({"fraud": 0.6, "unallocated": 0.3})
