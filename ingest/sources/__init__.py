"""What every source of samples offers, and the one shape they hand over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ingest.catalogue import Query


class SourceError(Exception):
    """A source cannot be read: one line with its URL (no credentials), the query (cut to 200 signs) and the cure."""


class TooMuch(SourceError):
    """The source refuses because the query is too big; a caller may cut its window and ask again."""


class Passing(SourceError):
    """A fault that may be gone at the next try."""


class Skewed(SourceError):
    """The source's clock and ours disagree, so that nobody knows which hours are over."""


class Unreachable(SourceError):
    """The source does not even tell the time: no hour can be had, and none is to blame."""


class Throttled(SourceError):
    """The server asks to come back after `pause` seconds (infinite where it names none)."""

    def __init__(self, text: str, pause: float):
        super().__init__(text)
        self.pause = pause


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Samples in columns.

    labels: one dict per series, with `__name__` where the source gives it;
    series: int32 [n], index into labels;
    time: float64 [n], unix seconds;
    value: float64 [n], NaN and infinities included.
    """

    labels: list[dict[str, str]]
    series: np.ndarray
    time: np.ndarray
    value: np.ndarray

    def __len__(self) -> int:
        """The number of samples, not of series."""
        return len(self.time)

    @classmethod
    def empty(cls) -> "Samples":
        return cls([], np.empty(0, np.int32), np.empty(0), np.empty(0))

    @classmethod
    def concat(cls, parts: "Sequence[Samples]") -> "Samples":
        """One Samples out of several; equal label sets become one series, no sample is dropped."""
        if not parts:
            return cls.empty()
        labels, places = merge([labels for part in parts for labels in part.labels])
        first = np.cumsum([0] + [len(part.labels) for part in parts])
        return cls(
            labels,
            np.concatenate([places[part.series + at] for part, at in zip(parts, first, strict=False)]),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.value for part in parts]),
        )

    def between(self, start: float, end: float) -> "Samples":
        """The samples with start <= time < end (unix seconds); series left without samples are dropped."""
        inside = (self.time >= start) & (self.time < end)
        kept, series = np.unique(self.series[inside], return_inverse=True)
        labels = [self.labels[index] for index in kept]
        return Samples(labels, series.astype(np.int32), self.time[inside], self.value[inside])


def merge(labels: Sequence[dict[str, str]]) -> tuple[list[dict[str, str]], np.ndarray]:
    """Distinct label sets in order of appearance, and int32 [len(labels)] giving each one's place among them."""
    seen: dict[frozenset, int] = {}
    places = [seen.setdefault(frozenset(each.items()), len(seen)) for each in labels]
    distinct = [dict(pairs) for pairs in seen]
    return distinct, np.array(places, np.int32)


@dataclass(slots=True)
class Spent:
    """What asking has cost the source so far: questions, bytes of answers, seconds it took to answer."""

    questions: int = 0
    bytes: int = 0
    seconds: float = 0.0

    def since(self, before: "Spent") -> "Spent":
        return Spent(self.questions - before.questions, self.bytes - before.bytes, self.seconds - before.seconds)

    def each(self, of: int) -> "Spent":
        """A window's part where `of` windows were asked for together."""
        return Spent(-(-self.questions // of), -(-self.bytes // of), self.seconds / of)


class Source(Protocol):
    """Where samples come from. All times are unix seconds; every method raises SourceError or TooMuch."""

    spent: Spent

    def during(self, start: float, end: float) -> "Source":
        """The same source, asked about [start, end) only: what holds samples in memory loads them once here."""

    def samples(self, query: Query, *, start: float, end: float) -> Samples:
        """Every sample of the query's series with start <= t < end."""

    def reduced(self, query: Query, *, ends: Sequence[float], seconds: float) -> Samples:
        """`query.over` of each series over [end - seconds, end), stamped with the end; series without samples are left out.

        `ends` is a single time or ascending and equidistant.
        """

    def parallel(self, calls: Sequence[Callable[[], Samples]]) -> list[Samples]:
        """The results in the order of the calls, as many at once as the source bears."""

    def check(self) -> float:
        """Seconds the source's clock is ahead of ours; Skewed above 60 s either way. A source without a clock says 0."""

    def span(self, *, until: float) -> tuple[float, float] | None:
        """About when the oldest samples were taken and up to when the newest may be; None where there are none."""


def storable(text: str) -> str:
    """A label's text as PostgreSQL can hold it: without NUL and lone surrogates. An annotation may hold whatever a tenant wrote."""
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    return text.replace("\0", "\ufffd")
