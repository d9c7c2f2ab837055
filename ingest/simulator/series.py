"""Series of one exporter between two times, in two kinds, and their one shape as samples."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ingest.simulator.curves import Floats
from ingest.sources import Samples

Labels = dict[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """A series that holds one value from `start` to before `end`, unix seconds. Spans may share one labels object."""

    labels: Labels
    start: float
    end: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A series with a value at each of its times, [n] each."""

    labels: Labels
    time: Floats
    value: Floats


def named(name: str, labels: Labels) -> Labels:
    return {"__name__": name, **labels}


def grid(start: float, end: float, *, offset: float, step: float = 60.0) -> Floats:
    """Scrape times of a target in [start, end): `offset` seconds into each step."""
    first = np.ceil((start - offset) / step) * step + offset
    return np.arange(first, end, step)


def from_spans(spans: Iterable[Span], time: Floats) -> Samples:
    """What scrapes at `time` [n] see of the spans."""
    found = list(spans)
    if not found or not len(time):
        return Samples.empty()
    places: dict[int, int] = {}
    index = np.array([places.setdefault(id(span.labels), len(places)) for span in found], np.int32)
    first = np.searchsorted(time, [span.start for span in found], side="left")
    after = np.searchsorted(time, [span.end for span in found], side="left")
    counts = np.maximum(after - first, 0)
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    labels: list[Labels] = [{}] * len(places)
    for span in found:
        labels[places[id(span.labels)]] = span.labels
    value = np.repeat(np.array([span.value for span in found]), counts)
    return _used(Samples(labels, np.repeat(index, counts), time[inside], value))


def from_tracks(tracks: Iterable[Track]) -> Samples:
    """All samples of the tracks."""
    found = [track for track in tracks if len(track.time)]
    if not found:
        return Samples.empty()
    series = np.repeat(np.arange(len(found), dtype=np.int32), [len(track.time) for track in found])
    return Samples(
        [track.labels for track in found], series, np.concatenate([t.time for t in found]), np.concatenate([t.value for t in found])
    )


def _used(samples: Samples) -> Samples:
    """Without the series that no scrape saw."""
    kept, series = np.unique(samples.series, return_inverse=True)
    return Samples([samples.labels[n] for n in kept], series.astype(np.int32), samples.time, samples.value)


def joined(parts: Iterable[Samples]) -> Samples:
    """Several targets' samples as one; no two targets share a label set."""
    found = [part for part in parts if len(part)]
    if not found:
        return Samples.empty()
    first = np.cumsum([0] + [len(part.labels) for part in found])
    return Samples(
        [labels for part in found for labels in part.labels],
        np.concatenate([part.series + np.int32(at) for part, at in zip(found, first, strict=False)]),
        np.concatenate([part.time for part in found]),
        np.concatenate([part.value for part in found]),
    )
