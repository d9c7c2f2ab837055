"""All pods and nodes of a stretch of time, out of the plans of its weeks."""

from functools import lru_cache

from ingest.simulator.fleet import STEADY, Node, passing, silence
from ingest.simulator.plan import fraud, inference, queued, spot
from ingest.simulator.pods import Pod
from ingest.simulator.weeks import CYCLE, Week, week_of

BEFORE = CYCLE + 1  # a notebook created that many weeks ago may still be open


@lru_cache(maxsize=64)
def _pods(week: Week) -> tuple[Pod, ...]:
    return tuple(pod for plan in (fraud, queued, spot, inference) for pod in plan.pods(week))


@lru_cache(maxsize=64)
def _passing(week: Week) -> tuple[Node, ...]:
    return tuple(passing(week))


class Schedule:
    """The company under one seed; nothing in it depends on when or in which order it is asked."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def weeks(self, start: float, end: float, *, before: int) -> list[Week]:
        first, last = week_of(start, seed=self.seed).index - before, week_of(end, seed=self.seed).index
        return [Week(index, self.seed) for index in range(first, last + 2)]

    def pods(self, start: float, end: float) -> list[Pod]:
        """Pods whose objects exist at some time in [start, end), finished ones that linger included."""
        found = (pod for week in self.weeks(start, end, before=BEFORE) for pod in _pods(week))
        return [pod for pod in found if pod.created < end and pod.gone > start]

    def nodes(self, start: float, end: float) -> list[Node]:
        """Nodes that are there at some time in [start, end)."""
        moving = (node for week in self.weeks(start, end, before=1) for node in _passing(week))
        return [node for node in (*STEADY, *moving) if node.joined < end and node.left > start]

    def silences(self, start: float, end: float) -> list[tuple[str, float, float]]:
        """(node, from, to) of exporters that answer nothing."""
        found = (silence(week) for week in self.weeks(start, end, before=1))
        return [each for each in found if each and each[1] < end and each[2] > start]
