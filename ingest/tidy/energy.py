"""Joules of each board, once: to the pods that held it by share and time, the rest to nobody."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ingest.tidy.devices import Device, at_once, slots
from ingest.tidy.nodes import Node
from ingest.tidy.use import QUARTER, Use

Watts = Mapping[tuple[str, float], float]  # by board and quarter


@dataclass(frozen=True, slots=True)
class BoardQuarter:
    """One board in one quarter in which a part of it was free: `joules` whole, of which `unheld` fell to no pod known to have held it."""

    quarter: float
    uuid: str
    node: str
    model: str
    joules: float
    unheld: float


def energy(uses: Sequence[Use], devices: Collection[Device], nodes: Iterable[Node], watts: Watts) -> tuple[list[float | None], list[BoardQuarter]]:
    """Joules of each use (None where no power was measured), and the boards that were not wholly held. `watts`: mean power of the whole board.

    Where holds overlap beyond the board, each gives in proportion: a board is never counted twice.
    """
    alive: dict[str, tuple[float, float]] = {}
    for node in nodes:  # two machines may have borne the name in turn
        start, end = _alive(node)
        before = alive.get(node.name, (start, end))
        alive[node.name] = min(start, before[0]), max(end, before[1])
    held: dict[tuple[str, float], float] = defaultdict(float)
    for use in uses:
        held[use.device.uuid, use.quarter] += use.share * use.held_seconds
    boards = {device.uuid: device for device in devices}
    mounted = _mounted(devices)
    seconds = {(uuid, quarter): _seconds(quarter, alive.get(boards[uuid].node), mounted[uuid]) for uuid, quarter in watts if uuid in boards}
    found = []
    for (uuid, quarter), there in sorted(seconds.items()):
        if boards[uuid].node in alive:
            power, taken = watts[uuid, quarter], min(held[uuid, quarter], there)
            if taken < there:
                found.append(BoardQuarter(quarter, uuid, boards[uuid].node, boards[uuid].model, power * there, power * (there - taken)))
    return [_joules(use, watts, held, seconds) for use in uses], found


def _joules(use: Use, watts: Watts, held: Mapping[tuple[str, float], float], seconds: Mapping[tuple[str, float], float]) -> float | None:
    key = use.device.uuid, use.quarter
    if key not in watts:
        return None
    scale = min(1.0, seconds[key] / held[key]) if held[key] else 0.0
    return watts[key] * use.share * use.held_seconds * scale


def _alive(node: Node) -> tuple[float, float]:
    start = node.created if node.created is not None else node.first_seen - node.half_interval
    return start, node.last_seen + node.half_interval


def _mounted(devices: Collection[Device]) -> dict[str, tuple[float, float]]:
    """When each board was in its slot: as long as the node lived, but where one took another's place."""
    half = {device.uuid: device.interval / 2 for device in devices}
    found = {}
    for boards in slots(devices).values():
        taken = len(boards) > at_once(boards.values())
        found |= {uuid: (first - half[uuid], last + half[uuid]) if taken else (-inf, inf) for uuid, (first, last) in boards.items()}
    return found


def _seconds(quarter: float, alive: tuple[float, float] | None, mounted: tuple[float, float]) -> float:
    start, end = alive or (quarter, quarter + QUARTER)
    return max(0.0, min(end, mounted[1], quarter + QUARTER) - max(start, mounted[0], quarter))
