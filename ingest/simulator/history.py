"""A stretch of the company's time as OpenMetrics text with timestamps, a file that promtool makes blocks of."""

import gzip
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from shutil import copyfileobj
from typing import IO

import numpy as np

from ingest.simulator.exposition import head, number, series
from ingest.simulator.simulation import Simulation
from ingest.sources import Samples

CHUNK = 6 * 3600.0  # seconds computed at once


def write(simulation: Simulation, path: Path, *, start: float, end: float, progress: Callable[[float], None] = lambda part: None) -> None:
    """Writes every sample in [start, end) to `path`, packed where its name ends in .gz.

    Family by family, in each series by series and in order of time within six hours, as Prometheus wants it.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        families: dict[str, IO[str]] = {}
        at = start
        while at < end:
            until = min(at + CHUNK, end)
            for name, lines in _chunk(simulation.samples(at, until)).items():
                if name not in families:
                    families[name] = stack.enter_context((folder / name).open("w+"))
                families[name].writelines(lines)
            at = until
            progress((at - start) / (end - start))
        with gzip.open(path, "wt", compresslevel=3) if path.suffix == ".gz" else path.open("w") as output:
            for name, spool in sorted(families.items()):
                output.write(head(name, open_metrics=True))
                spool.seek(0)
                copyfileobj(spool, output)
            output.write("# EOF\n")


def _chunk(samples: Samples) -> dict[str, list[str]]:
    """Lines by family; a label set that stands for two series in turn is one series with rising times."""
    rows = [series(labels) for labels in samples.labels]
    same: dict[str, int] = {}
    place = np.array([same.setdefault(row, len(same)) for row in rows])
    order = np.lexsort((samples.time, place[samples.series]))
    found: dict[str, list[str]] = {}
    for at, time, value in zip(samples.series[order].tolist(), samples.time[order].tolist(), samples.value[order].tolist(), strict=True):
        name = samples.labels[at]["__name__"]
        found.setdefault(name, []).append(f"{rows[at]} {number(name, value)} {time:.0f}\n")
    return found
