"""The series of each device side by side, before any is read as a measurement."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from finops.accounting.usage import Floats, rescaled
from ingest.tidy.answers import Answers
from ingest.tidy.own_values import Pod
from ingest.tidy.streams import Series

POD_LABELS = (
    ("exported_exported_pod", "exported_exported_namespace"),
    ("exported_pod", "exported_namespace"),
    ("pod_name", "pod_namespace"),
    ("pod", "exported_namespace"),
    ("pod", "namespace"),
)
QUARTER = 900.0
# What tells one scraper's series of a target from another's: two exporters, or the servers of a highly available pair.
TARGET = ("job", "instance", "replica", "prometheus_replica", "__replica__", "prometheus")
Target = tuple[str, ...]
Key = tuple[str, str, int]  # board, MIG instance or "", its slices: after a repartitioning the same id is another device


@dataclass(slots=True)
class Row:
    """`utilisation`: by the pod a series names, None where it names none; `named`: times at which a series named the pod; `scraped`: by target."""

    labels: dict[str, str] = field(default_factory=dict)
    profiling: list[Series] = field(default_factory=list)
    utilisation: dict[Pod | None, list[Series]] = field(default_factory=lambda: defaultdict(list))
    seen: list[Floats] = field(default_factory=list)
    named: dict[Pod, list[Floats]] = field(default_factory=lambda: defaultdict(list))
    scraped: dict[Target, list[Floats]] = field(default_factory=lambda: defaultdict(list))

    def saw(self, labels: dict[str, str], pod: Pod | None, times: Floats) -> None:
        self.labels = labels
        self.seen.append(times)
        self.scraped[target(labels)].append(times)
        if pod:
            self.named[pod].append(times)

    def span(self) -> tuple[float, float]:
        """The first and the last sample of any kind."""
        return float(min(map(np.min, self.seen))), float(max(map(np.max, self.seen)))

    def outside(self, first: float, last: float) -> "Row":
        """What was told before `first` and after `last`."""
        found = Row(self.labels, [_outside(each, first, last) for each in self.profiling])
        found.seen = [times for each in self.seen if len(times := each[(each < first) | (each > last)])]
        for pod, series in self.utilisation.items():
            found.utilisation[pod] = [_outside(each, first, last) for each in series]
        for named, parts in self.named.items():
            if left := [times for each in parts if len(times := each[(each < first) | (each > last)])]:
                found.named[named] = left
        found.scraped = self.scraped
        return found

    def join(self, other: "Row") -> None:
        self.profiling += other.profiling
        self.seen += other.seen
        for pod, series in other.utilisation.items():
            self.utilisation[pod] += series
        for named, times in other.named.items():
            self.named[named] += times
        for each, scrapes in other.scraped.items():
            self.scraped[each] += scrapes


def _outside(series: Series, first: float, last: float) -> Series:
    time, value = series
    kept = (time < first) | (time > last)
    return time[kept], value[kept]


def target(labels: Mapping[str, str]) -> Target:
    """Whose scrapes a series' samples are."""
    return tuple(labels.get(name, "") for name in TARGET)


def rows(answers: Answers, known: set[Pod]) -> dict[Key, Row]:
    """The rows by device. `known`: pods that hold GPUs; no other is believed."""
    found: dict[Key, Row] = defaultdict(Row)
    lost = rescaled(answers.samples("utilisation").value)
    for name in ("profiling", "utilisation"):
        for labels, times, values in answers.columns(name):
            row, pod = found[_key(labels)], named_pod(labels, known)
            row.saw(labels, pod, times)
            if name == "profiling":
                row.profiling.append((times, values))
            else:
                row.utilisation[pod].append((times, np.full(len(times), np.nan) if lost else values))
    _unmeasured(answers, known, found)
    _unnamed_profiles(found)
    return {key: row for key, row in found.items() if key[0]}


def _key(labels: Mapping[str, str]) -> Key:
    profile = re.match(r"(\d+)g\.", labels.get("GPU_I_PROFILE", ""))
    return labels.get("UUID") or labels.get("uuid", ""), labels.get("GPU_I_ID", ""), int(profile[1]) if profile else 0


def _unmeasured(answers: Answers, known: set[Pod], found: dict[Key, Row]) -> None:
    """Devices that have no utilisation but a memory figure: they are there, and whose they are is told."""
    measured = set(found)
    for labels, ends, _ in answers.columns("memory"):
        if (key := _key(labels)) not in measured:
            spans = [(end - QUARTER + 1, end - QUARTER / 2, end - 1) for end in ends.tolist()]
            found[key].saw(labels, named_pod(labels, known), np.array(spans).ravel())


def _unnamed_profiles(found: dict[Key, Row]) -> None:
    """An instance whose profile is blank at times is the one whose profile is told at others."""
    for uuid, instance, slices in [key for key in found if key[1] and not key[2]]:
        others = [key for key in found if key[:2] == (uuid, instance) and key[2]]
        if len(others) == 1:
            found[others[0]].join(found.pop((uuid, instance, slices)))


def named_pod(labels: Mapping[str, str], known: set[Pod]) -> Pod | None:
    """The (namespace, pod) a series is of, if that pod is known to hold GPUs; the exporter's own never is."""
    for pod, namespace in POD_LABELS:
        candidate = labels.get(namespace, ""), labels.get(pod, "")
        if candidate[1] and candidate in known:
            return candidate
    return None
