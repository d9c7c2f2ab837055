"""What a source answered for one hour, with its margins, and the small look-ups every tidier needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingest.sources import Samples

MARGIN = 600.0  # seconds read on both sides, so that an answer does not depend on how a window was cut


@dataclass(frozen=True, slots=True)
class Answers:
    """`found`: samples by catalogue key, for [start - MARGIN, end + MARGIN); unix seconds."""

    start: float
    end: float
    found: Mapping[str, Samples]

    def samples(self, key: str) -> Samples:
        return self.found.get(key) or Samples.empty()

    def series(self, key: str) -> Iterator[tuple[dict[str, str], list[float], list[float]]]:
        """(labels, times, values) of each series that has samples."""
        got = self.samples(key)
        runs: dict[int, tuple[list[float], list[float]]] = {}
        for index, time, value in zip(got.series.tolist(), got.time.tolist(), got.value.tolist(), strict=True):
            times, values = runs.setdefault(index, ([], []))
            times.append(time)
            values.append(value)
        for index, (times, values) in runs.items():
            yield got.labels[index], times, values

    def last(self, key: str) -> Iterator[tuple[dict[str, str], float]]:
        """(labels, value) of each series of a reduced query."""
        for labels, _, values in self.series(key):
            yield labels, values[-1]


def pod_key(labels: Mapping[str, str]) -> tuple[str, str, str]:
    """(namespace, pod, uid) of a kube-state-metrics series."""
    return labels.get("namespace", ""), labels.get("pod", ""), labels.get("uid", "")
