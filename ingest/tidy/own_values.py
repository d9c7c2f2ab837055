"""What each pod on a shared board used by itself, where the exporter tells it.

From 4.5.3-4.8.2 on dcgm-exporter can print GPU_UTIL once for the board and once per pod, from the driver's figures per process. Without
a view of the host's processes it prints 0 for every pod; older ones print the board's own value for every pod. Neither is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from finops.accounting.usage import Floats
from ingest.tidy.streams import Series, stream

Pod = tuple[str, str]  # namespace, name
LEAST, MOST = 0.5, 1.5  # sum of the pods' values by the board's: outside, they are no parts of it


@dataclass(frozen=True, slots=True)
class OwnValues:
    """`time`: [n] instants with real values; `of`: [n] fractions of the board by pod, NaN where it has none."""

    time: Floats
    of: Mapping[Pod, Floats]

    def __bool__(self) -> bool:
        return len(self.time) > 0

    def at(self, pods: Sequence[Pod], moments: Floats, *, reach: float) -> Floats:
        """[pods, moments] values of the nearest sample; NaN beyond `reach` seconds and for pods without values."""
        if not self:
            return np.full((len(pods), len(moments)), np.nan)
        after = np.clip(np.searchsorted(self.time, moments), 1, max(len(self.time) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(self.time) - 1)
        nearest = np.where(np.abs(self.time[after] - moments) < np.abs(moments - self.time[before]), after, before)
        near = np.abs(self.time[nearest] - moments) <= reach
        unknown = np.full(len(self.time), np.nan)
        return np.array([np.where(near, self.of.get(pod, unknown)[nearest], np.nan) for pod in pods])


NONE = OwnValues(np.empty(0), {})


def own_values(series: Mapping[Pod | None, list[Series]]) -> OwnValues:
    """The instants at which two pods or more have values of their own. `series`: GPU_UTIL by the pod named, None the board's own."""
    pods = [pod for pod in series if pod is not None]
    if None not in series or len(pods) < 2:
        return NONE
    time, board, _ = stream(series[None], percent=True)
    if not len(time):
        return NONE
    parts = {pod: _on(time, *stream(series[pod], percent=True)[:2]) for pod in pods}
    total = np.nansum(list(parts.values()), axis=0)
    real = (board > 0) & (total >= LEAST * board) & (total <= MOST * board)
    return OwnValues(time[real], {pod: part[real] for pod, part in parts.items()})


def _on(time: Floats, instants: Floats, values: Floats) -> Floats:
    """The values at `time`, NaN where there is none."""
    found = np.full(len(time), np.nan)
    _, here, there = np.intersect1d(time, instants, assume_unique=True, return_indices=True)
    found[here] = values[there]
    return found
