"""Samples in memory as a source: an exposition file, scraped pages, a simulated cluster."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ingest.catalogue import Query
from ingest.sources import Samples, Spent

T = TypeVar("T")


class Held:
    """A Source over what `load(start, end)` returns: every series with its `__name__`, all samples with start <= t < end.

    `span`: when the oldest and the newest samples were taken, unix seconds.
    """

    def __init__(self, load: Callable[[float, float], Samples], *, span: tuple[float, float] | None = None) -> None:
        self.spent = Spent()
        self._load, self._span = load, span
        self._held: Samples | None = None
        self._by_name: dict[str, list[int]] = {}

    def during(self, start: float, end: float) -> "Held":
        """A source that has loaded [start, end)."""
        found = Held(self._load, span=self._span)
        held = self._load(start, end)
        order = np.lexsort((held.time, held.series))
        found._held = Samples(held.labels, held.series[order], held.time[order], held.value[order])
        for place, labels in enumerate(held.labels):
            found._by_name.setdefault(labels.get("__name__", ""), []).append(place)
        return found

    def samples(self, query: Query, *, start: float, end: float) -> Samples:
        """As the Source protocol says."""
        return self._of(query, start, end).between(start, end)

    def reduced(self, query: Query, *, ends: Sequence[float], seconds: float) -> Samples:
        """As the Source protocol says."""
        whole = self._of(query, ends[0] - seconds, ends[-1])
        parts = [_kept(whole.between(end - seconds, end), query, end) for end in ends]
        return Samples.concat([part for part in parts if len(part)])

    def parallel(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """One after the other: it is all arithmetic."""
        return [call() for call in calls]

    def check(self) -> float:
        """As the Source protocol says."""
        return 0.0

    def span(self, *, until: float) -> tuple[float, float] | None:
        """As the Source protocol says."""
        return self._span

    def _of(self, query: Query, start: float, end: float) -> Samples:
        held = self._held
        if held is None:
            return self.during(start, end)._of(query, start, end)
        places = [place for name in query.names for place in self._by_name.get(name, ())]
        tests = [(label, *_test(operator, value)) for label, operator, value in query.extra]
        fitting = np.zeros(len(held.labels), bool)
        for place in places:
            labels = held.labels[place]
            fitting[place] = all(test(labels.get(label, "")) == wanted for label, test, wanted in tests)
        return _where(held, fitting[held.series]) if len(held) else held


def _test(operator: str, value: str) -> tuple[Callable[[str], bool], bool]:
    """A matcher as a test and the answer it wants; regular expressions match the whole value, as PromQL's do."""
    if operator in ("=", "!="):
        return value.__eq__, operator == "="
    pattern = re.compile(value)
    return lambda text: pattern.fullmatch(text) is not None, operator == "=~"


def _where(found: Samples, mask: np.ndarray) -> Samples:
    kept, series = np.unique(found.series[mask], return_inverse=True)
    return Samples([found.labels[place] for place in kept], series.astype(np.int32), found.time[mask], found.value[mask])


def _kept(found: Samples, query: Query, end: float) -> Samples:
    """What a window's series come to, those alone that the query keeps."""
    got = _reduced(found, query.over, end)
    if query.stray is not None:
        return _where(got, (got.value > query.stray) | (_reduced(found, "min_over_time", end).value < 0))
    return got if query.above is None else _where(got, got.value > query.above)


def _reduced(found: Samples, over: str, end: float) -> Samples:
    """One value per series; samples stand by series and rising time."""
    if not len(found):
        return found
    first = np.flatnonzero(np.diff(found.series, prepend=-1))
    value = _REDUCTIONS[over](found.value, first, np.append(first[1:], len(found)))
    return Samples(found.labels, found.series[first], np.full(len(first), end), value)


def _changes(value: np.ndarray, first: np.ndarray, after: np.ndarray) -> np.ndarray:
    still = (value[1:] == value[:-1]) | (np.isnan(value[1:]) & np.isnan(value[:-1]))
    moved = np.append(0.0, (~still).astype(float))
    moved[first] = 0.0  # a series' first sample is no change
    return np.add.reduceat(moved, first)


_REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "max_over_time": lambda value, first, after: np.fmax.reduceat(value, first),
    "min_over_time": lambda value, first, after: np.fmin.reduceat(value, first),
    "avg_over_time": lambda value, first, after: np.add.reduceat(value, first) / (after - first),
    "last_over_time": lambda value, first, after: value[after - 1],
    "changes": _changes,
}
