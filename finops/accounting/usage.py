"""From samples to busy seconds: what each sample speaks for, and which samples are measurements."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REACH = 1.5  # scrape intervals a sample speaks for, each way
FROZEN_RUN = 10  # zeros in a row that are suspicious beside a busy GPU_UTIL
FROZEN_UTIL = 0.20


def busy_fraction(value: Floats, *, percent: bool) -> Floats:
    """Values as fractions 0 to 1; NaN where a value is no measurement (blank marker, negative, beyond its range).

    Only up to 1.05 (ratio) or 100.5 (per cent) counts as full: that is rounding, 103 % is not.
    """
    full, top = (100.0, 100.5) if percent else (1.0, 1.05)
    with np.errstate(invalid="ignore"):
        kept = (value >= 0) & (value <= top)
    return np.where(kept, np.minimum(value, full) / full, np.nan)


def rescaled(per_cent: Floats) -> bool:
    """Whether values named per cent were divided by 100 on the way: the driver gives whole numbers, these have fractions and never exceed 1."""
    kept = per_cent[(per_cent >= 0) & (per_cent <= 100.5)]
    return bool(len(kept)) and bool(kept.max() <= 1) and bool(((kept > 0) & (kept < 1)).any())


def cells(time: Floats, *, interval: float, start: float, end: float) -> tuple[Floats, Floats]:
    """The span [from, to) each sample speaks for: nearer to it than to its neighbours, cut at its reach and the lease.

    `time` rises strictly; `interval`, `start` and `end` in seconds.
    """
    reach = REACH * interval
    middle = (time[1:] + time[:-1]) / 2
    begin = np.concatenate(([start], middle))
    until = np.concatenate((middle, [end]))
    return (
        np.clip(np.maximum(begin, time - reach), start, end),
        np.clip(np.minimum(until, time + reach), start, end),
    )


def scrape_interval(time: Floats, *, configured: float | None = None, targets: Sequence[Floats] = ()) -> float:
    """The configured interval, else the median spacing of the samples; 60 s where there are too few.

    `targets`: of several that tell of one thing the samples of each: between two of them there is no interval, however close they are.
    """
    if configured:
        return configured
    spacing = np.concatenate([_spacing(each) for each in (targets if len(targets) > 1 else [time])])
    spacing = np.sort(spacing)  # numpy's own median takes several times as long on so few
    return float(spacing[(len(spacing) - 1) // 2] + spacing[len(spacing) // 2]) / 2 if len(spacing) else 60.0


def _spacing(time: Floats) -> Floats:
    spacing = np.diff(time)
    return spacing if (spacing > 0).all() else np.diff(np.unique(time))


def frozen(profiling: Floats, profiling_time: Floats, util: Floats, util_time: Floats) -> NDArray[np.bool_]:
    """Profiling samples stuck at exactly 0 for ten or more in a row while GPU_UTIL is 20 % or more in most of them."""
    stuck = np.zeros(len(profiling), dtype=bool)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], (profiling == 0).astype(np.int8), [0]))))
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        if after - first < FROZEN_RUN:
            continue
        inside = (util_time >= profiling_time[first]) & (util_time <= profiling_time[after - 1])
        beside = util[inside]
        if len(beside) and np.mean(beside >= FROZEN_UTIL) > 0.5:
            stuck[first:after] = True
    return stuck
