"""Joules of boards, held and not."""

import numpy as np
import pytest

from finops.accounting.leases import Sightings
from ingest.tidy.devices import Device
from ingest.tidy.energy import BoardQuarter, energy
from ingest.tidy.nodes import Node
from ingest.tidy.owners import Workload
from ingest.tidy.pods import Pod
from ingest.tidy.use import Use

A100, NONE = "NVIDIA A100-SXM4-40GB", np.empty(0)


def node(first: float = -600, last: float = 4170, created: float | None = None) -> Node:
    return Node("n1", "m1", created, first, last, 30, {"nvidia_com_gpu": 1}, {}, {A100: 1}, 1, "", "", "on-demand")


def device(uuid: str = "GPU-1", instance: str = "", slices: int = 0) -> Device:
    return Device(uuid, instance, "n1", A100, slices, 60, NONE, NONE, NONE, "gr_engine", False)


def use(card: Device, share: float = 1.0, held: float = 900, quarter: float = 0) -> Use:
    pod = Pod("u", "nvidia_com_gpu", "ml", "a", "n1", 1, Sightings(0, 3600, 30), Workload("Pod", "a", "a"), [], [], [])
    return Use(quarter, card, pod, share, held, held, 0, 15, 0, [0] * 20, False)


def board(joules: float, unheld: float, quarter: float = 0) -> BoardQuarter:
    return BoardQuarter(quarter, "GPU-1", "n1", A100, pytest.approx(joules), pytest.approx(unheld))


def test_a_board_nobody_holds() -> None:
    assert energy([], [device()], [node()], {("GPU-1", 0): 100.0}) == ([], [board(90_000, 90_000)])


def test_a_board_held_for_a_third_of_the_quarter() -> None:
    card = device()
    assert energy([use(card, held=300)], [card], [node()], {("GPU-1", 0): 100.0}) == ([30_000], [board(90_000, 60_000)])


def test_four_slices_of_which_three_are_held() -> None:
    card = device()
    joules, boards = energy([use(card, 0.25)] * 3, [card], [node()], {("GPU-1", 0): 400.0})
    assert (joules, boards) == ([90_000] * 3, [board(360_000, 90_000)])


def test_the_instances_of_a_board_share_its_power_by_slices() -> None:
    three, one = device(instance="1", slices=3), device(instance="9", slices=1)
    joules, boards = energy([use(three, 3 / 7), use(one, 1 / 7)], [three, one], [node()], {("GPU-1", 0): 700.0})
    assert joules == pytest.approx([270_000, 90_000])
    assert boards == [board(630_000, 270_000)]


def test_holds_beyond_the_board_give_in_proportion() -> None:
    card = device()
    assert energy([use(card, held=900), use(card, held=300)], [card], [node()], {("GPU-1", 0): 400.0}) == (
        pytest.approx([270_000, 90_000]), [])  # fmt: skip


def test_a_node_that_came_or_left_inside_the_quarter() -> None:
    assert energy([], [device()], [node(created=600)], {("GPU-1", 0): 100.0})[1] == [board(30_000, 30_000)]
    assert energy([], [device()], [node(last=270)], {("GPU-1", 0): 100.0})[1] == [board(30_000, 30_000)]


def test_no_power_is_no_energy() -> None:
    card = device()
    assert energy([use(card), use(card, quarter=900)], [card], [node()], {("GPU-1", 0): 100.0}) == ([90_000, None], [])
    assert energy([], [], [node()], {("GPU-9", 0): 100.0}) == ([], [])
