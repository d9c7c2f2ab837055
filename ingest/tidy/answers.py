"""What a source answered for one hour, with its margins, and the small look-ups every tidier needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from finops.accounting.usage import Floats
from ingest.sources import Samples

MARGIN = 600.0  # seconds read on both sides, so that an answer does not depend on how a window was cut
MOST_UNITS = 1_000_000  # of one resource, of one pod or node
YEAR_2200 = 7_258_118_400.0  # unix seconds


@dataclass(frozen=True, slots=True)
class Answers:
    """`found`: samples by catalogue key, for [start - MARGIN, end + MARGIN); unix seconds."""

    start: float
    end: float
    found: Mapping[str, Samples]

    def samples(self, key: str) -> Samples:
        return self.found.get(key) or Samples.empty()

    def columns(self, key: str) -> Iterator[tuple[dict[str, str], Floats, Floats]]:
        """(labels, times, values) of each series that has samples, as arrays."""
        got = self.samples(key)
        order = np.argsort(got.series, kind="stable")
        series, time, value = got.series[order], got.time[order], got.value[order]
        cuts = [0, *(np.flatnonzero(np.diff(series)) + 1).tolist(), len(series)]
        for first, after in zip(cuts, cuts[1:], strict=False):
            if after > first:
                yield got.labels[series[first]], time[first:after], value[first:after]

    def series(self, key: str) -> Iterator[tuple[dict[str, str], list[float], list[float]]]:
        """The same as plain numbers."""
        for labels, time, value in self.columns(key):
            yield labels, time.tolist(), value.tolist()

    def counts(self, key: str) -> Iterator[tuple[dict[str, str], list[float], list[float]]]:
        """The same of what counts units: a dump marks the end of a series by NaN, and beyond MOST_UNITS nothing is counted but nonsense."""
        for labels, time, value in self.columns(key):
            told = (value >= 0) & (value <= MOST_UNITS)
            if told.any():
                yield labels, time[told].tolist(), value[told].tolist()

    def last(self, key: str) -> Iterator[tuple[dict[str, str], float]]:
        """(labels, value) of each series of a reduced query."""
        for labels, _, values in self.series(key):
            yield labels, values[-1]


def instant(value: float) -> bool:
    """Whether a value that should be unix seconds can be: Go writes a time that was never set as the year 1."""
    return abs(value) < YEAR_2200


def pod_key(labels: Mapping[str, str]) -> tuple[str, str, str]:
    """(namespace, pod, uid) of a kube-state-metrics series."""
    return labels.get("namespace", ""), labels.get("pod", ""), labels.get("uid", "")
