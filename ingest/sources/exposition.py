"""Exposition text, Prometheus' and OpenMetrics', into columns: lines are chosen by name before anything is parsed."""

import re
from array import array
from collections.abc import Iterable, Mapping

import numpy as np

from ingest.catalogue import NAMES, QUERIES
from ingest.sources import Samples, SourceError, storable

# Of these only the rows about GPUs are read; a large cluster has thousands about CPU and memory beside them.
ABOUT_RESOURCES = frozenset(n for q in QUERIES for n in q.names if any(label == "resource" for label, _, _ in q.extra))
OF_GPUS = ('resource="nvidia_com_', 'resource="k8s_amazonaws_com_vgpu"', 'resource="requests.')  # the last: quotas, few as they are
ESCAPE = re.compile(r"\\(.)")
LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|(?=\}))')
SHOWN = 120
NEWEST = 1e11  # seconds: the year 5138


class Malformed(ValueError):
    """A line that is no sample; the message says which and why."""


def wanted(line: str) -> bool:
    """Whether the product reads this line's series."""
    name = line[: min(found for found in (line.find("{"), line.find(" "), len(line)) if found >= 0)]
    return name in NAMES and (name not in ABOUT_RESOURCES or any(told in line for told in OF_GPUS))


def chosen(text: str) -> str:
    """The lines of a page that the product reads."""
    return "\n".join(line for line in text.split("\n") if wanted(line))


class Gatherer:
    """Collects samples line by line; a series' labels are parsed once, however often it comes."""

    def __init__(self) -> None:
        self.labels: list[dict[str, str]] = []
        self._known: dict[tuple[int, str], int] = {}
        self._more: list[Mapping[str, str]] = []
        self._clear()

    def page(self, lines: Iterable[str], *, at: float, more: Mapping[str, str]) -> None:
        """Chosen lines of one scrape at `at`; `more`: the target's own labels, which never replace one that is there."""
        target = self._target(more)
        for line in lines:
            if line:
                series, value, stamp = split(line)
                self._add(target, series, value, at if stamp is None else stamp / 1000)

    def timed(self, line: str) -> None:
        """A chosen line of OpenMetrics with its time in seconds."""
        series, value, stamp = split(line)
        if stamp is None:
            raise Malformed("has no timestamp")
        if not stamp < NEWEST:
            raise Malformed(f"has the timestamp {stamp:.15g}: OpenMetrics counts seconds since 1970, not milliseconds")
        self._add(self._target({}), series, value, stamp)

    def __len__(self) -> int:
        return len(self._series)

    def take(self) -> Samples:
        """What was collected since the last call; the list of labels goes on growing and is shared."""
        found = Samples(self.labels, np.array(self._series, np.int32), np.array(self._time), np.array(self._value))
        self._clear()
        return found

    def _clear(self) -> None:
        self._series, self._time, self._value = array("i"), array("d"), array("d")

    def _target(self, more: Mapping[str, str]) -> int:
        if more not in self._more:
            self._more.append(more)
        return self._more.index(more)

    def _add(self, target: int, series: str, value: float, time: float) -> None:
        place = self._known.get((target, series))
        if place is None:
            place = self._known[target, series] = len(self.labels)
            self.labels.append({**self._more[target], **labels_of(series)})
        self._series.append(place)
        self._time.append(time)
        self._value.append(value)


def split(line: str) -> tuple[str, float, float | None]:
    """(series as it is written, value, timestamp as it is written); Malformed for what is no sample."""
    end = _end_of_series(line)
    words = line[end:].split(" # ", 1)[0].split()
    try:
        if len(words) not in (1, 2):
            raise ValueError
        return line[:end], float(words[0]), float(words[1]) if len(words) == 2 else None
    except ValueError:
        raise Malformed(f"is no sample: {line[:SHOWN]!r}") from None


def _end_of_series(line: str) -> int:
    brace = line.find("{")
    if brace < 0:
        return line.find(" ") if " " in line else len(line)
    if " # " not in line:
        return line.rfind("}") + 1
    at = brace + 1
    while found := LABEL.match(line, at):
        at = found.end()
    return line.find("}", at) + 1


def labels_of(series: str) -> dict[str, str]:
    """`name{label="value",…}` as labels with `__name__`; Malformed where it is not."""
    name, brace, rest = series.partition("{")
    labels, at = {"__name__": name.strip()}, 0
    while found := LABEL.match(rest, at):
        value = ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], found[2]) if "\\" in found[2] else found[2]
        labels[found[1]] = storable(value)
        at = found.end()
    if brace and rest[at:].strip() != "}":
        raise Malformed(f"has labels that cannot be read: {series[:SHOWN]!r}")
    return labels


def refused(place: str, number: int, error: Malformed) -> SourceError:
    return SourceError(f"{place}, line {number}: {error}; mend or remove that line")
