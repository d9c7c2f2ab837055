"""Who used which device: measured and busy seconds per device, pod and quarter of an hour."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from finops.accounting.usage import REACH, Floats, cells
from ingest.tidy.devices import Device
from ingest.tidy.nodes import instance_size
from ingest.tidy.pods import Pod
from ingest.tidy.seats import Seat

QUARTER = 900.0
BINS = 20


@dataclass(frozen=True, slots=True)
class Use:
    """One pod on one device in one quarter; `busy_seconds` are GPU-seconds, the others wall seconds.

    `inferred`: the device is its by elimination; `estimated`: its part of a shared device's use is by share, not measured.
    `after`: what samples speak for beyond the end that this hour alone knows, in case the lease went on.
    """

    quarter: float
    device: Device
    pod: Pod
    share: float
    held_seconds: float
    measured_seconds: float
    busy_seconds: float
    samples: int
    rejected: int
    histogram: list[int]
    inferred: bool
    estimated: bool = False
    after: "After | None" = None


@dataclass(frozen=True, slots=True)
class After:
    """`seconds` from `since` on (unix seconds), and the GPU-seconds of them that were busy."""

    since: float
    seconds: float
    busy_seconds: float


def use(seats: list[list[Seat]], *, start: float, end: float) -> list[Use]:
    """All uses within [start, end) by the seats of each device; quarters are counted from `start`."""
    return [row for group in seats for seat in group for row in _quarters(seat, group, start=start, end=end)]


def _quarters(seat: Seat, group: list[Seat], *, start: float, end: float) -> list[Use]:
    lease, device = seat.pod.lease, seat.device
    assert lease is not None
    inside = (device.time >= lease.start) & (device.time < seat.end)
    first, last = min(max(lease.started, seat.span[0]), seat.end), seat.end
    begin, until = cells(device.time[inside], interval=device.interval, start=first, end=last)
    begin, until, busy = _cut(begin, until, device.busy[inside], _breaks(group, start, end))
    seconds = until - begin
    part, guessed = _part(seat, group, (begin + until) / 2)
    factor = np.minimum(busy * part, seat.share)
    quarter = ((begin - start) // QUARTER).astype(int)
    bins = np.minimum((busy * BINS).astype(int), BINS - 1)
    count = int(np.ceil((end - start) / QUARTER))
    within = (quarter >= 0) & (begin < end)
    histogram = np.bincount((quarter * BINS + bins)[within], weights=seconds[within], minlength=count * BINS).reshape(count, BINS)
    worked = np.bincount(quarter[within], weights=(seconds * factor)[within], minlength=count)
    estimated = np.bincount(quarter[within & guessed], minlength=count) > 0
    bad = device.rejected[(device.rejected >= lease.start) & (device.rejected < lease.end)]
    kept, rejected = (_per_quarter(times[times < end], start, count) for times in (device.time[inside], bad))
    reached = _after(seat, group, start, end)
    rows = []
    for q in range(count):
        a, b = start + q * QUARTER, min(start + (q + 1) * QUARTER, end)
        held = max(0.0, min(lease.end, b) - max(lease.start, a))
        after = reached[q]
        if held or after:
            measured = min(float(histogram[q].sum()), held)
            used = min(float(worked[q]), measured * seat.share)
            whole = np.rint(histogram[q]).astype(int).tolist()
            rows.append(
                Use(a, device, seat.pod, seat.share, held, measured, used, int(kept[q]), int(rejected[q]), whole, seat.inferred, bool(estimated[q]), after)
            )
    return rows


def _after(seat: Seat, group: list[Seat], start: float, end: float) -> list[After | None]:
    """Of each quarter in [start, end): what the lease's last sample, and those behind it that go on naming the pod, speak for without a hole.

    None where the lease's end is known, or no sample reaches it.
    """
    lease, device, count = seat.pod.lease, seat.device, int(np.ceil((end - start) / QUARTER))
    assert lease is not None
    inside = (device.time >= lease.start) & (device.time < seat.end)
    if lease.seen or seat.pod.seen.ended is not None or seat.end < lease.end or lease.end <= lease.started or not inside.any():
        return [None] * count
    going_on = inside | (device.time >= lease.end) & np.isin(device.time, _naming(group))
    others = [each.pod.lease.start for each in group if each.pod.lease and each is not seat]
    until = min([np.inf, *(start for start in others if start >= lease.end)])
    begin, after = cells(device.time[going_on], interval=device.interval, start=lease.end, end=until)
    whole = np.cumprod(np.append(begin[:1] <= lease.end, begin[1:] <= after[:-1])).astype(bool)
    edges = np.append(np.arange(start, end, QUARTER), end)
    begin, after, busy = _cut(begin[whole], after[whole], device.busy[going_on][whole], edges)
    part, _ = _part(seat, group, np.array([np.nextafter(lease.end, lease.started)]))
    worked = np.minimum(busy * part[0], seat.share) * (after - begin)
    quarter = ((begin - start) // QUARTER).astype(int)
    found = [(quarter == q) & (begin < end) for q in range(count)]
    return [After(float(begin[q][0]), float((after - begin)[q].sum()), float(worked[q].sum())) if q.any() else None for q in found]


def _naming(group: list[Seat]) -> Floats:
    """When the device's series name any of its pods."""
    times = [each.device.named.get((each.pod.namespace, each.pod.name)) for each in group]
    return np.concatenate([np.empty(0), *(found for found in times if found is not None)])


def _per_quarter(times: Floats, start: float, count: int) -> NDArray[np.intp]:
    """How many of `times` fall into each quarter from `start`."""
    quarter = ((times - start) // QUARTER).astype(int)
    return np.bincount(quarter[quarter >= 0], minlength=count)


def _breaks(group: list[Seat], start: float, end: float) -> Floats:
    """Quarter edges, the hour's ends, and where a neighbour on the device starts or ends."""
    edges = set(np.arange(start, end, QUARTER)) | {end}
    if len(group) > 1:
        for seat in group:
            if seat.pod.lease:
                edges |= {float(seat.pod.lease.started), float(seat.end)}
    return np.array(sorted(edges))


def _cut(begin: Floats, until: Floats, busy: Floats, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Spans cut at `edges` that fall inside them; empty spans dropped."""
    crossing = np.searchsorted(edges, until, side="left") - np.searchsorted(edges, begin, side="right")
    pieces = np.maximum(crossing, 0) + 1
    index = np.repeat(np.arange(len(begin)), pieces)
    nth = np.arange(len(index)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first_edge = np.searchsorted(edges, begin, side="right")[index]
    last = len(edges) - 1
    a = np.where(nth == 0, begin[index], edges[np.clip(first_edge + nth - 1, 0, last)])
    b = np.where(nth == pieces[index] - 1, until[index], edges[np.clip(first_edge + nth, 0, last)])
    keep = b > a
    return a[keep], b[keep], busy[index][keep]


def _part(seat: Seat, group: list[Seat], middle: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """GPUs that a wholly busy device is worth to this pod, among the pods started by then: by their own values, else by their shares.

    And where it is by shares among several.
    """
    known = instance_size(seat.device)
    size = seat.unit if known is None else float(known)
    if len(group) == 1 and seat.share >= size:
        return np.full(len(middle), seat.share), np.zeros(len(middle), bool)
    started = np.array([_started(each, middle) for each in group])
    shares = np.array([[each.share] for each in group]) * started
    own = seat.device.own.at([(each.pod.namespace, each.pod.name) for each in group], middle, reach=REACH * seat.device.interval)
    told = ~(np.isnan(own) & started).any(axis=0) & (np.nansum(own * started, axis=0) > 0)
    weights = np.where(told, np.nan_to_num(own) * started, shares)
    whole = weights.sum(axis=0)
    mine = weights[next(n for n, each in enumerate(group) if each is seat)]
    part = np.divide(size * mine, whole, out=np.zeros(len(middle)), where=whole > 0)
    return part, ~told & (started.sum(axis=0) > 1) & (mine > 0)


def _started(seat: Seat, moments: Floats) -> NDArray[np.bool_]:
    lease = seat.pod.lease
    assert lease is not None
    return (moments >= lease.started) & (moments < seat.end)
