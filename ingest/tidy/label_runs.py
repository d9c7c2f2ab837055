"""Which labels a pod or namespace bore, and from when: an edit begins a new series."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

import numpy as np

from finops.accounting.ownership import sanitised
from finops.accounting.usage import scrape_interval
from ingest.sources import Samples
from ingest.tidy.answers import Answers

K = TypeVar("K", bound=Hashable)
LABELLED = {"pod_labels": "uid", "pod_annotations": "uid", "namespace_labels": "namespace"}  # what names the bearer
PREFIXES = ("label_", "annotation_")
GONE = 2.5  # scrape intervals without a sample end a spell
TOGETHER = 1.5  # spells that begin within so many intervals of the window were there before it


@dataclass(frozen=True, slots=True)
class Run:
    """`labels`, as kube-state-metrics spells them, from `since` (unix seconds; None: from before)."""

    since: float | None
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Spell:
    """One label set seen at `times` without a gap; seconds."""

    times: list[float]
    interval: float
    labels: Mapping[str, str]

    @property
    def first(self) -> float:
        return self.times[0]

    @property
    def last(self) -> float:
        return self.times[-1]


def label_runs(answers: Answers, key: str, who: Callable[[Mapping[str, str]], K], *, configured: float | None) -> dict[K, list[Run]]:
    """The runs of each pod or namespace that `who` names: from raw samples where they were asked for, else the one set there is."""
    found: dict[K, list[Run]] = {who(labels): [Run(None, named(labels))] for labels, _ in answers.last(key)}
    seen: dict[K, dict[frozenset, list[float]]] = defaultdict(lambda: defaultdict(list))
    for labels, times, _ in answers.series(raw(key)):
        seen[who(labels)][frozenset(named(labels).items())] += times
    for one, sets in seen.items():
        spells = [spell for pairs, times in sets.items() for spell in _spells(dict(sorted(pairs)), times, configured=configured)]
        found[one] = _within(_runs(spells), answers)
    return found


def raw(key: str) -> str:
    """The key of the raw samples of a query that is reduced elsewhere."""
    return f"{key}_raw"


def named(labels: Mapping[str, str]) -> dict[str, str]:
    """The Kubernetes labels or annotations among the labels of a series, by name: rows must not differ by an order.

    Before 2.0 kube-state-metrics left capitals as they were.
    """
    rows = sorted(labels.items())
    return {_spelt(name.removeprefix(prefix)): value for name, value in rows for prefix in PREFIXES if name.startswith(prefix)}


def _spelt(name: str) -> str:
    return name if name == name.lower() else sanitised(name)


def several(samples: Samples, label: str) -> set[str]:
    """The values of `label` (a uid, a namespace) that bear more than one label set at the same time of a reduced answer."""
    sets = [frozenset(named(labels).items()) for labels in samples.labels]
    seen: dict[tuple[str, float], set[frozenset]] = defaultdict(set)
    for index, time in zip(samples.series.tolist(), samples.time.tolist(), strict=True):
        seen[samples.labels[index].get(label, ""), time].add(sets[index])
    return {value for (value, _), found in seen.items() if len(found) > 1 and value}


def at(runs: Sequence[Run], since: float | None) -> Mapping[str, str]:
    """The labels in force at `since`; none where there are no runs."""
    started = [run for run in runs if run.since is None or (since is not None and run.since <= since)]
    return started[-1].labels if started else {}


def cuts(*runs: Sequence[Run]) -> list[float | None]:
    """None, then every instant at which one of several sequences of runs changes."""
    return [None, *sorted({run.since for group in runs for run in group if run.since is not None})]


def _spells(labels: Mapping[str, str], times: list[float], *, configured: float | None) -> Iterable[Spell]:
    instants = np.unique(np.array(times))
    interval = scrape_interval(instants, configured=configured)
    for part in np.split(instants, np.flatnonzero(np.diff(instants) > GONE * interval) + 1):
        yield Spell(part.tolist(), interval, labels)


def _runs(spells: Sequence[Spell]) -> list[Run]:
    """Of sets seen at once the one that began later; of twins that were there from the first, the fuller one."""
    early = min(spell.first for spell in spells) + TOGETHER * max(spell.interval for spell in spells)

    def rank(spell: Spell) -> tuple[float, int, list[tuple[str, str]]]:
        return (-inf if spell.first <= early else spell.first, len(spell.labels), sorted(spell.labels.items()))

    runs: list[Run] = []
    for time in sorted({time for spell in spells for time in spell.times}):
        newest = max((spell for spell in spells if spell.first <= time <= spell.last), key=rank)
        if not runs or runs[-1].labels != newest.labels:
            runs.append(Run(time if runs else None, newest.labels))
    return runs


def _within(runs: list[Run], answers: Answers) -> list[Run]:
    """The runs of the hour itself: the one in force at its start is from before, those of the margin after it fall away."""
    before = [run for run in runs if run.since is None or run.since <= answers.start]
    inside = [run for run in runs if run.since is not None and answers.start < run.since < answers.end]
    return [Run(None, before[-1].labels), *inside]
