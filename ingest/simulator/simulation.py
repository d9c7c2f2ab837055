"""The company seen through its exporters: every target's series, as samples or as the page it serves."""

from collections.abc import Iterator

from ingest.simulator import controllers, exporter, machines, state
from ingest.simulator.curves import Floats
from ingest.simulator.exposition import text
from ingest.simulator.fleet import STEADY, Node
from ingest.simulator.pods import Pod
from ingest.simulator.schedule import Schedule
from ingest.simulator.series import from_spans, from_tracks, grid, joined
from ingest.simulator.weeks import digest
from ingest.sources import Samples

STATE, KUEUE, KARPENTER = "kube-state-metrics", "kueue", "karpenter"
OFFSETS = {STATE: 30.0, KUEUE: 40.0, KARPENTER: 50.0}  # seconds into the minute at which a target is scraped
INTERVAL = 60.0


class Silent(Exception):
    """The target answers nothing at this time: its node is not there, or its exporter is silent."""


class Simulation:
    """Everything is a pure function of (seed, time); times are unix seconds."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.schedule = Schedule(seed)

    def samples(self, start: float, end: float) -> Samples:
        """Every sample in [start, end) of all targets, each scraped once a minute at an offset of its own."""
        pods, nodes = self.schedule.pods(start, end), self.schedule.nodes(start, end)
        targets = [*OFFSETS, *(node.name for node in nodes)]
        return joined(part for name in dict.fromkeys(targets) for part in self._parts(name, pods, nodes, self.scrapes(name, start, end)))

    def scrapes(self, target: str, start: float, end: float) -> Floats:
        """When the target is scraped in [start, end)."""
        return grid(start, end, offset=OFFSETS.get(target, 5.0 + digest("offset", target)[0] % 20), step=INTERVAL)

    def targets(self, at: float | None = None) -> list[str]:
        """Names of all targets; with a time, passing nodes of that instant too."""
        nodes = self.schedule.nodes(at, at + 1) if at is not None else STEADY
        return [STATE, KUEUE, KARPENTER, *(node.name for node in nodes)]

    def page(self, target: str, at: float) -> str:
        """The exposition text that the target serves at an instant. Raises Silent."""
        now = grid(at, at + 1, offset=at % 1, step=1.0)[:1]
        parts = list(self._parts(target, self.schedule.pods(at, at + 1), self.schedule.nodes(at, at + 1), now))
        found = joined(parts)
        if not len(found):
            raise Silent(target)
        return text(found)

    def _parts(self, target: str, pods: list[Pod], nodes: list[Node], time: Floats) -> Iterator[Samples]:
        if target == STATE:
            spans = [span for pod in pods for span in state.of_pod(pod)]
            spans += [span for node in nodes for span in machines.of_node(node)]
            yield from_spans([*spans, *state.namespaces()], time)
            yield from_tracks(state.quotas(pods, time))
        elif target == KUEUE:
            yield from_tracks(controllers.kueue(pods, nodes, time))
        elif target == KARPENTER:
            yield from_tracks(controllers.karpenter(nodes, time, seed=self.seed))
        for node in nodes:
            if node.name == target:
                here = [pod for pod in pods if pod.node == target and pod.bound is not None]
                yield from_tracks(exporter.tracks(node, here, self._heard(node, time)))

    def _heard(self, node: Node, time: Floats) -> Floats:
        """The scrapes that the node's exporter answers."""
        there = (time >= node.joined) & (time < node.left)
        if len(time):
            for name, start, end in self.schedule.silences(float(time[0]), float(time[-1]) + 1):
                if name == node.name:
                    there &= (time < start) | (time >= end)
        return time[there]
