"""What a source says of the last quarter of an hour, asked once; every check reads it from here."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from finops.models import Cluster, Rate, TeamRule
from ingest.catalogue import QUERIES, Query
from ingest.doctor.diagnosis import Diagnosis
from ingest.sources import Samples, Source
from ingest.sources.promql import selector
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, devices
from ingest.tidy.nodes import Node, nodes
from ingest.tidy.own_labels import own_labels
from ingest.tidy.pods import Pod, pods

WINDOW = 900.0
HOUR = 3600.0
RECENT = 300.0
# What tells one thing from another, of whatever kind.
IDENTITY = ("UUID", "uuid", "GPU_I_ID", "uid", "container", "node", "resource")
CATALOGUE = {query.key: query for query in QUERIES}


@dataclass(frozen=True, slots=True)
class Configured:
    """What the reader configured, beside the cluster itself. `exchange`: currencies that have an exchange rate."""

    rules: Sequence[TeamRule] = ()
    rates: Sequence[Rate] = ()
    currency: str = "CHF"
    exchange: frozenset[str] = frozenset()


class Evidence:
    """Samples of [at - 15 min, at) by catalogue key, and what the tidiers make of them. Unix seconds.

    `skew`: seconds the source's clock is ahead, None where it has none. `series`: read so far.
    """

    def __init__(self, cluster: Cluster, source: Source, *, at: float, skew: float | None = None, configured: Configured) -> None:
        self.cluster, self.source, self.at, self.skew, self.configured = cluster, source, at, skew, configured
        self.series = 0
        self.match: Mapping[str, str] = getattr(source, "match", {})
        self._held = source.during(at - HOUR, at)
        self.found = {query.key: self.read(query, seconds=WINDOW) for query in QUERIES}

    def say(self, level: str, check: str, message: str, cost: str = "", mend: str = "") -> Diagnosis:
        return Diagnosis(self.cluster.name, level, check, message, cost, mend)

    def read(self, query: Query, *, seconds: float) -> Samples:
        """Raw samples where the product reads raw ones, else the last of each series with its name."""
        if not query.over:
            return self._counted(self._held.samples(query, start=self.at - seconds, end=self.at))
        return self._counted(self._held.reduced(replace(query, over="last_over_time", above=None), ends=[self.at], seconds=seconds))

    def lately(self, key: str) -> int:
        """Series of the last hour, for what the last quarter of an hour lacks."""
        return len(self.read(replace(CATALOGUE[key], over="last_over_time"), seconds=HOUR).labels)

    def ask(self, expression: str, *, ago: float = 0.0) -> Samples:
        """A question only a query API answers; empty from any other source."""
        if not hasattr(self.source, "instant"):
            return Samples.empty()
        return self._counted(self.source.instant(expression, at=self.at - ago))

    def number(self, expression: str, *, ago: float = 0.0) -> float:
        """The first value of the answer, 0 where it is empty."""
        found = self.ask(expression, ago=ago).value
        return float(found[0]) if len(found) else 0.0

    def chosen(self, names: Sequence[str], *extra: tuple[str, str, str]) -> str:
        return selector(names, match=self.match, extra=extra)

    def _counted(self, found: Samples) -> Samples:
        self.series += len(found.labels)
        return found

    def labels(self, *keys: str) -> list[dict[str, str]]:
        """The label sets of every series of these queries."""
        return [labels for key in keys for labels in self.found[key].labels]

    def names(self, key: str) -> dict[str, int]:
        """Series by the spelling they bear."""
        spelled = [labels.get("__name__", CATALOGUE[key].names[0]) for labels in self.found[key].labels]
        return {name: spelled.count(name) for name in sorted(set(spelled))}

    def times(self, key: str) -> list[np.ndarray]:
        """The rising instants of each thing: labels that change, such as a device's pod, begin a series but no new thing."""
        parts: dict[tuple[str, ...], list[np.ndarray]] = defaultdict(list)
        for labels, times, _ in self.answers.columns(key):
            parts[tuple(labels.get(name, "") for name in IDENTITY)].append(times)
        return [np.unique(np.concatenate(found)) for found in parts.values()]

    @cached_property
    def answers(self) -> Answers:
        read = {key: own_labels(found) if CATALOGUE[key].names[0].startswith("kube_") else found for key, found in self.found.items()}
        return Answers(self.at - WINDOW, self.at, read)

    @cached_property
    def pods(self) -> list[Pod]:
        return pods(self.answers, configured=self.cluster.scrape_interval)

    @cached_property
    def holders(self) -> set[tuple[str, str]]:
        """(namespace, pod) of the pods that hold."""
        return {(pod.namespace, pod.name) for pod in self.holding}

    @cached_property
    def holding(self) -> list[Pod]:
        """Pods that hold GPUs now; finished ones linger in kube-state-metrics until they are deleted."""
        return [pod for pod in self.pods if (lease := pod.lease) and lease.end > self.at - RECENT]

    @cached_property
    def node_names(self) -> set[str]:
        return {labels.get("node", "") for labels in self.labels("capacity")} - {""}

    @cached_property
    def devices(self) -> list[Device]:
        known = {(pod.namespace, pod.name) for pod in self.pods}
        return devices(self.answers, known, self.node_names, configured=self.cluster.scrape_interval)

    @cached_property
    def nodes(self) -> list[Node]:
        return nodes(self.answers, self.devices, pool_label=self.cluster.node_pool_label, configured=self.cluster.scrape_interval)

    def node_labels(self, node: str) -> dict[str, str]:
        """What kube-state-metrics told of a node's labels, as it spells them."""
        return next((row for row in self.labels("node_labels") if row.get("node") == node), {})
