"""What must change nothing, or only in one direction: the same worlds collected and told in other ways.

`ACCOUNTANT_EXAMPLES=1000` looks at that many worlds, at random, instead of a few that are always the same.
"""

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops import pipeline
from finops.models import Cluster
from tests.verification import product
from tests.verification.meter import PROFILING, UTILISATION
from tests.verification.rules import Case, cases
from tests.verification.test_accountant import bounded, compare
from tests.verification.told import Series, Told

UNIT = Decimal("1e-10")
FEW = 8
pytestmark = pytest.mark.django_db


def stored(told: Told, **how) -> list[tuple]:
    """The ledger of that cluster, collected alone."""
    with product.example():
        product.configure(told)
        product.collected(told, **how)
        return product.ledger()


@st.composite
def orders(draw, hours: int) -> list[list[int]]:
    """All hours cut into pieces in any order, some of them collected again, pieces may overlap."""
    cuts = sorted(draw(st.sets(st.integers(1, hours - 1)))) if hours > 1 else []
    pieces = [list(range(a, b)) for a, b in zip([0, *cuts], [*cuts, hours], strict=True)]
    first = draw(st.integers(0, hours - 1))
    again = [list(range(first, draw(st.integers(first + 1, hours))))]
    return draw(st.permutations(pieces + again))


@bounded(FEW)
@given(case=cases(), data=st.data())
def test_in_pieces_in_any_order_twice_and_backwards_gives_the_same_ledger(case: Case, data, db) -> None:
    told = case.told()
    whole = stored(told)
    assert stored(told, pieces=data.draw(orders(told.hours))) == whole
    assert stored(told, pieces=[[n] for n in reversed(range(told.hours))]) == whole


@bounded(FEW)
@given(case=cases())
def test_collecting_and_accounting_once_more_gives_the_same_ledger(case: Case, db) -> None:
    told = case.told()
    with product.example():
        product.configure(told)
        row = product.collected(told)
        once = product.ledger()
        pipeline.account(row, start=product.moment(told.first), end=product.moment(told.end))
        assert product.ledger() == once
        product.collected(told)
        assert product.ledger() == once


@bounded(FEW)
@given(case=cases(), data=st.data())
def test_the_order_of_series_and_a_second_scraper_change_nothing(case: Case, data, db) -> None:
    told = case.told()
    mixed = data.draw(st.permutations(told.series))
    doubled = [replace(s, labels=s.labels | {"prometheus_replica": replica}) for s in told.series for replica in "ab"]
    whole = stored(told)
    assert stored(replace(told, series=tuple(mixed))) == whole
    assert stored(replace(told, series=tuple(doubled))) == whole


@bounded(FEW)
@given(case=cases(), percent=st.integers(0, 99))
def test_less_use_never_moves_what_is_held_and_costs_no_more_use(case: Case, percent: int, db) -> None:
    told = case.told()
    full, less = (summed(lines) for lines in (told, replace(told, series=tuple(slower(s, percent) for s in told.series))))
    assert [(key, less.get(key), full[key]) for key in full if less.get(key, [None])[0] != full[key][0]] == []
    for key in full:
        assert all(a <= b + 12 * UNIT * 10 for a, b in zip(less[key][1], full[key][1], strict=True)), key


def slower(series: Series, percent: int) -> Series:
    """Its busy values, where they are sound, brought down to so many per cent; those of per cent stay whole numbers."""
    if series.name not in (PROFILING, UTILISATION):
        return series
    return replace(series, samples=tuple((t, less(series.name, v, percent)) for t, v in series.samples))


def less(name: str, value: float, percent: int) -> float:
    if not 0 <= value <= (1.05 if name == PROFILING else 100.5):
        return value
    return value * percent / 100 if name == PROFILING else float(value * percent // 100)


def summed(told: Told) -> dict[tuple, tuple]:
    """By hour and holder: (allocated, unallocated, capacity, cost) and (used, its cost)."""
    with product.example():
        product.configure(told)
        product.collected(told)
        rows = product.answered(told)
    held = ("allocated", "unallocated", "capacity", "cost", "unallocated_cost")
    return {key: (tuple(row.sums[name] for name in held), (row.hours("used"), row.hours("used_cost"))) for key, row in rows.items()}


@bounded(FEW)
@given(case=cases())
def test_no_pod_is_above_its_share_and_no_sum_of_shares_above_the_boards(case: Case, db) -> None:
    """The boards and shares are the world's own: what there truly was, for as long as it truly was."""
    told, machines = case.told(), {machine.name: machine for machine in case.world.machines}
    with product.example():
        product.configure(told)
        product.collected(told)
        rows = product.answered(told)
    held: dict[tuple, Decimal] = defaultdict(Decimal)
    share = {pod.name: most_held(pod) for pod in case.world.pods}
    pods: dict[tuple, Decimal] = defaultdict(Decimal)
    for (hour, _, _, pod, node, _), row in rows.items():
        held[hour, node] += row.capacity_gpu_hours
        pods[hour, pod] += row.allocated_gpu_hours if pod else 0
        assert row.hours("used") <= row.allocated_gpu_hours
    assert all(hours <= len({s.uuid for group in machines[node].slots.values() for s in group}) for (_, node), hours in held.items())
    assert all(hours <= share[pod] + 12 * UNIT for (_, pod), hours in pods.items() if pod)


def most_held(pod) -> Decimal:
    """GPUs of a pod by its slots: a board, a part of one among equals, or slices of seven or of four."""
    slots = [pod.machine.slots[pod.resource][place] for place in pod.places]
    if not slots[0].instance:
        return Decimal(len(slots)) / pod.machine.replicas
    return Decimal(sum(int(slot.profile[0]) for slot in slots)) / (4 if "A30" in slots[0].model else 7)


@bounded(FEW)
@given(first=cases(), second=cases())
def test_two_clusters_of_the_same_names_are_two(first: Case, second: Case, db) -> None:
    """Both under the first one's prices and teams."""
    one = first.told("one")
    other = replace(second, world=replace(second.world, zone=first.world.zone), rates=first.rates, rules=first.rules).told("two")
    if (one.first - other.first) % 3600:
        return
    with product.example():
        product.configure(one)
        product.collected(one)
        product.collected(other)
        assert Cluster.objects.count() == 2
        compare(one)
        compare(other)
