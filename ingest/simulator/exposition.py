"""Samples as text: the page of an exporter, and OpenMetrics with timestamps."""

from collections.abc import Iterator

import numpy as np

from ingest.sources import Samples

DECIMALS = ("DCGM_FI_PROF_", "DCGM_FI_DEV_POWER_USAGE")
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
HELP = {"DCGM": "measured by DCGM", "kube": "as the API server tells it", "kueu": "as Kueue's controller counts it", "karp": "as Karpenter counts it"}  # fmt: skip


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


def kind(name: str) -> str:
    return "counter" if name.endswith("_total") else "gauge"


def text(samples: Samples) -> str:
    """One instant's page in the text format 0.0.4, families in alphabetical order; equal label sets print once."""
    lines: dict[str, dict[str, str]] = {}
    for index, value in zip(samples.series.tolist(), samples.value.tolist(), strict=True):
        labels = samples.labels[index]
        name = labels["__name__"]
        lines.setdefault(name, {})[series(labels)] = number(name, value)
    return "".join(_family(name, rows) for name, rows in sorted(lines.items()))


def _family(name: str, rows: dict[str, str]) -> str:
    head = f"# HELP {name} {HELP[name[:4]] if name[:4] in HELP else HELP['DCGM']}\n# TYPE {name} {kind(name)}\n"
    return head + "".join(f"{row} {value}\n" for row, value in rows.items())


def openmetrics(samples: Samples, name: str) -> Iterator[str]:
    """Lines of one family with timestamps, series by series, each in order of time; without head and end."""
    mine = np.array([labels["__name__"] == name for labels in samples.labels], bool)
    chosen = np.flatnonzero(mine[samples.series]) if len(samples) else np.empty(0, int)
    order = chosen[np.lexsort((samples.time[chosen], samples.series[chosen]))]
    heads = {n: series(labels) for n, labels in enumerate(samples.labels) if mine[n]}
    before: tuple[str, float] | None = None
    for at in order.tolist():
        head, time = heads[int(samples.series[at])], float(samples.time[at])
        if (head, time) != before:
            yield f"{head} {number(name, float(samples.value[at]))} {time:.3f}\n"
        before = head, time
