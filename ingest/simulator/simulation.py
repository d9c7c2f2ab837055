"""The company seen through its exporters: every target's series, as samples or as the page it serves."""

from collections.abc import Iterator

import numpy as np

from ingest.simulator import controllers, exporter, machines, state
from ingest.simulator.curves import Floats
from ingest.simulator.exposition import by_instant, text
from ingest.simulator.fleet import STEADY, Node
from ingest.simulator.pods import Pod
from ingest.simulator.schedule import Schedule
from ingest.simulator.series import from_spans, from_tracks, grid, joined
from ingest.simulator.weeks import digest
from ingest.sources import Samples

STATE, KUEUE, KARPENTER = "kube-state-metrics", "kueue", "karpenter"
PASSING = "passing"  # the exporters of all nodes that come and go, behind one address: a list of addresses cannot follow them
TARGETS = (STATE, KUEUE, KARPENTER, *(node.name for node in STEADY), PASSING)
OFFSETS = {STATE: 30.0, KUEUE: 40.0, KARPENTER: 50.0}  # seconds into the minute at which a target is scraped
INTERVAL = 60.0


class Silent(Exception):
    """The target answers nothing at this time: its exporter is silent, or there is no such node."""


class Simulation:
    """Everything is a pure function of (seed, time); times are unix seconds."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.schedule = Schedule(seed)

    def samples(self, start: float, end: float) -> Samples:
        """Every sample in [start, end) of all targets, each scraped once a minute at an offset of its own."""
        pods, nodes = self.schedule.pods(start, end), self.schedule.nodes(start, end)
        return joined(part for name in TARGETS for part in self._parts(name, pods, nodes, scrapes(name, start, end)))

    def page(self, target: str, at: float) -> str:
        """The exposition text that a target, or any one node, serves at an instant. Raises Silent."""
        found = self._of(target, at, at + 1, np.array([at]))
        if not len(found) and target != PASSING:
            raise Silent(target)
        return text(found)

    def pages(self, target: str, start: float, end: float) -> Iterator[tuple[float, str]]:
        """The pages of a target's scrapes in [start, end), those it answers; the same text as `page` gives."""
        yield from by_instant(self._of(target, start, end, scrapes(target, start, end)))

    def _of(self, target: str, start: float, end: float, time: Floats) -> Samples:
        return joined(self._parts(target, self.schedule.pods(start, end), self.schedule.nodes(start, end), time))

    def _parts(self, target: str, pods: list[Pod], nodes: list[Node], time: Floats) -> Iterator[Samples]:
        if target == STATE:
            spans = [span for pod in pods for span in state.of_pod(pod)]
            spans += [span for node in nodes for span in machines.of_node(node)]
            yield from_spans([*spans, *state.owners(pods), *state.namespaces()], time)
            yield from_tracks(state.quotas(pods, time))
        elif target == KUEUE:
            yield from_tracks(controllers.kueue(pods, nodes, time))
        elif target == KARPENTER:
            yield from_tracks(controllers.karpenter(nodes, time, seed=self.seed))
        for node in nodes:
            if node.name == target or (target == PASSING and node not in STEADY):
                here = [pod for pod in pods if pod.node == node.name and pod.bound is not None]
                yield from_tracks(exporter.tracks(node, here, self._heard(node, time)))

    def _heard(self, node: Node, time: Floats) -> Floats:
        """The scrapes that the node's exporter answers."""
        there = (time >= node.joined) & (time < node.left)
        if len(time):
            for name, start, end in self.schedule.silences(float(time[0]), float(time[-1]) + 1):
                if name == node.name:
                    there &= (time < start) | (time >= end)
        return time[there]


def scrapes(target: str, start: float, end: float) -> Floats:
    """When a target is scraped in [start, end)."""
    return grid(start, end, offset=OFFSETS.get(target, 5.0 + digest("offset", target)[0] % 20), step=INTERVAL)
