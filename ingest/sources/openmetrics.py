"""A file of OpenMetrics text with timestamps, also gzip, as a source of samples."""

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ingest.sources import Samples, SourceError
from ingest.sources.exposition import Gatherer, Malformed, refused, wanted
from ingest.sources.held import Held

BLOCK = 1_000_000  # samples sorted by time at once; a block is 20 MB on disk
LONGEST = 1 << 20
LONGEST_SPAN = 20 * 366 * 86400.0  # seconds; every hour between the first and the last sample is planned


def open_file(path: str | Path) -> Held:
    """The file as a source. It is read once, into blocks sorted by time in a temporary file, so memory stays bounded.

    SourceError names file and line of what cannot be read.
    """
    spool = Spool()
    for block in _blocks(Path(path)):
        spool.add(block)
    if spool.first is None:
        raise SourceError(f"{path}: holds no series the product reads; export kube-state-metrics' and DCGM's, see manage.py doctor")
    if spool.last - spool.first > LONGEST_SPAN:
        raise SourceError(f"{path}: its samples lie from {spool.first:.0f} to {spool.last:.0f} seconds after 1970; remove those that are out of place")
    return Held(spool.between, span=(spool.first, spool.last))


class Spool:
    """Blocks of samples on disk, each sorted by time."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the source
        self._blocks: list[tuple[int, int, float, float]] = []
        self._labels: list[dict[str, str]] = []
        self.first: float | None = None
        self.last = 0.0

    def __del__(self) -> None:
        self._file.close()

    def add(self, block: Samples) -> None:
        """Takes one block; blocks share the growing list of labels."""
        order = np.argsort(block.time, kind="stable")
        time = block.time[order]
        self._blocks.append((self._file.tell(), len(time), time[0], time[-1]))
        for column in (time, block.value[order], block.series[order]):
            self._file.write(column.tobytes())
        self._labels = block.labels
        self.first = min(self.first, float(time[0])) if self.first is not None else float(time[0])
        self.last = max(self.last, float(time[-1]))

    def between(self, start: float, end: float) -> Samples:
        """All samples with start <= t < end."""
        parts = [self._part(*block[:2], start, end) for block in self._blocks if block[2] < end and block[3] >= start]
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [np.empty(0)] * 3
        return Samples(self._labels, columns[2].astype(np.int32), columns[0], columns[1])

    def _part(self, at: int, count: int, start: float, end: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        time = self._column(at, count, np.float64)
        first, after = np.searchsorted(time, [start, end])
        value = self._column(at + 8 * count, count, np.float64)
        series = self._column(at + 16 * count, count, np.int32)
        return time[first:after], value[first:after], series[first:after]

    def _column(self, at: int, count: int, kind: type) -> np.ndarray:
        self._file.flush()
        return np.memmap(self._file, kind, "r", at, (count,))


def _blocks(path: Path) -> Iterator[Samples]:
    found, number = Gatherer(), 0
    try:
        for line in _lines(path):
            number += 1
            if wanted(line):
                found.timed(line)
                if len(found) >= BLOCK:
                    yield found.take()
    except Malformed as error:
        raise refused(str(path), number, error) from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise SourceError(f"{path}, after line {number}: cannot be read ({error}); check that the file is whole") from None
    if len(found):
        yield found.take()


def _lines(path: Path) -> Iterator[str]:
    """The lines without their ends; one longer than a megabyte is no exposition."""
    with path.open("rb") as probe:
        packed = probe.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rt", encoding="utf-8") if packed else path.open(encoding="utf-8") as file:
        while line := file.readline(LONGEST):
            if len(line) == LONGEST:
                raise OSError("a line above one megabyte")
            yield line.rstrip("\n")
