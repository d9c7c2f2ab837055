"""A node with an A100 and a T4: where no device tells, other hours do, in whichever order they are collected."""

from decimal import Decimal
from itertools import permutations

import pytest

from finops.models import Rate
from finops.quality import findings
from finops.scope import Window
from tests.fleet import A100, GPU, HOUR, TEN, Fleet, bill, minutes

T4 = "Tesla T4"
LONG = minutes(-20, 200)


@pytest.fixture(autouse=True)
def prices(db) -> None:
    Rate.objects.create(price="3.00", currency="CHF", gpu_model=A100)
    Rate.objects.create(price="0.50", currency="CHF", gpu_model=T4)


def allocated(hour: int) -> dict[str, Decimal]:
    return {row.keys["gpu_model"]: row.allocated_gpu_hours for row in bill("gpu_model", first=hour).rows if row.allocated_gpu_hours}


def mixed() -> Fleet:
    return Fleet().node(**{GPU: 2}, times=LONG).card("GPU-1", model=A100, times=LONG)


@pytest.mark.parametrize("order", permutations(range(3)))
def test_the_model_its_other_hours_show(order: tuple[int, ...], tmp_path) -> None:
    fleet = mixed().pod("a", times=LONG)
    fleet.card("GPU-2", model=T4, times=LONG).card("GPU-2", "a", model=T4, times=minutes(20, 45))
    fleet.collected(tmp_path, hours=order)
    assert [allocated(hour) for hour in range(3)] == [{T4: 1}] * 3
    assert bill(hours=3).total.cost == Decimal("10.50")


def test_the_model_with_room(tmp_path) -> None:
    fleet = Fleet().node(**{GPU: 4}).pod("a").pod("b", 2).card("GPU-1", "a", model=A100)
    for uuid in ("GPU-2", "GPU-3", "GPU-4"):
        fleet.card(uuid, model=T4)
    fleet.collected(tmp_path)
    assert allocated(0) == {A100: 1, T4: 2}


def test_a_lease_no_model_has_room_for_is_told(tmp_path) -> None:
    fleet = Fleet().node(**{GPU: 4}).pod("a", 3).pod("b").card("GPU-1", model=A100).card("GPU-2", model=A100)
    fleet.card("GPU-3", model=T4).card("GPU-4", model=T4).collected(tmp_path)
    assert allocated(0) == {A100: 2, T4: 2}
    assert ("unknown_model", "uid-a nvidia_com_gpu") in [(d.finding.kind, d.finding.subject) for d in findings(Window(TEN, TEN + HOUR))]
