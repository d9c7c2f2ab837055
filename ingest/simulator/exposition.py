"""Samples as text: the page of an exporter, and OpenMetrics with timestamps."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ingest.sources import Samples

DECIMALS = ("DCGM_FI_PROF_", "DCGM_FI_DEV_POWER_USAGE")
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
HELP = {"kube": "As the API server tells it.", "kueue": "As Kueue's controller counts it.", "karpenter": "As Karpenter counts it."}
EMPTY = "# HELP DCGM_FI_DEV_GPU_UTIL Measured by DCGM.\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"


@lru_cache(maxsize=50_000)
def number(name: str, value: float) -> str:
    """As the exporter of that family prints it: six decimals, whole numbers, or Go's short form from a million on."""
    if name.startswith(DECIMALS):
        return f"{value:.6f}"
    if abs(value) >= 1e6:
        return np.format_float_scientific(value, trim="-", exp_digits=2)
    return f"{value:.0f}" if value == int(value) else repr(float(value))


def series(labels: dict[str, str]) -> str:
    """`name{label="value",…}`"""
    pairs = ",".join(f'{name}="{value.translate(ESCAPES)}"' for name, value in labels.items() if name != "__name__")
    return f"{labels['__name__']}{{{pairs}}}"


def head(name: str, *, open_metrics: bool = False) -> str:
    """The HELP and TYPE lines of a family; OpenMetrics names a counter without its `_total`."""
    counter = name.endswith("_total")
    family = name.removesuffix("_total") if open_metrics else name
    told = HELP.get(name.split("_")[0], "Measured by DCGM.")
    return f"# HELP {family} {told}\n# TYPE {family} {'counter' if counter else 'gauge'}\n"


def text(samples: Samples) -> str:
    """One instant's page in the text format 0.0.4, families in alphabetical order."""
    return next((page for _, page in by_instant(samples)), EMPTY)


def by_instant(samples: Samples) -> Iterator[tuple[float, str]]:
    """(time, page) of every scrape among the samples; equal label sets print once."""
    names = [labels["__name__"] for labels in samples.labels]
    rows = [series(labels) for labels in samples.labels]
    rank = np.argsort(np.argsort(np.array(names), kind="stable")) if names else np.empty(0, int)
    order = np.lexsort((rank[samples.series], samples.time)) if len(samples) else np.empty(0, int)
    index, time, value = (column[order].tolist() for column in (samples.series, samples.time, samples.value))
    cuts = [0, *(np.flatnonzero(np.diff(time)) + 1).tolist(), len(time)]
    for first, after in zip(cuts, cuts[1:], strict=False):
        if after > first:
            yield time[first], _page([(names[n], rows[n], v) for n, v in zip(index[first:after], value[first:after], strict=True)])


def _page(lines: list[tuple[str, str, float]]) -> str:
    found: dict[str, dict[str, str]] = {}
    for name, row, value in lines:
        found.setdefault(name, {})[row] = number(name, value)
    return "".join(head(name) + "".join(f"{row} {value}\n" for row, value in rows.items()) for name, rows in found.items())
