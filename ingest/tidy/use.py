"""Who used which device: measured and busy seconds per device, pod and quarter of an hour."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from finops.accounting.usage import REACH, Floats, cells
from ingest.tidy.devices import Device, at_once
from ingest.tidy.nodes import Node, instance_size
from ingest.tidy.pods import Pod

QUARTER = 900.0
BINS = 20


@dataclass(frozen=True, slots=True)
class Use:
    """One pod on one device in one quarter; `busy_seconds` are GPU-seconds, the others wall seconds.

    `inferred`: the device is its by elimination; `estimated`: its part of a shared device's use is by share, not measured.
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


@dataclass(frozen=True, slots=True)
class Seat:
    """A pod on a device: `share` GPUs of it, over the `span` in which it was this device; `unit` GPUs is one of what it holds."""

    pod: Pod
    device: Device
    unit: float
    share: float
    inferred: bool
    span: tuple[float, float] = (-inf, inf)


def use(pods: list[Pod], nodes: list[Node], devices: list[Device], *, start: float, end: float) -> list[Use]:
    """All uses within [start, end); quarters are counted from `start`."""
    seats = _seats(pods, nodes, devices)
    by_device: dict[int, list[Seat]] = defaultdict(list)
    for seat in seats:
        by_device[id(seat.device)].append(seat)
    return [row for group in by_device.values() for seat in group for row in _quarters(seat, group, start=start, end=end)]


def _seats(pods: list[Pod], nodes: list[Node], devices: list[Device]) -> list[Seat]:
    on_node: dict[str, list[Device]] = defaultdict(list)
    for device in devices:
        on_node[device.node].append(device)
    held: dict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        if pod.lease:
            held[pod.node].append(pod)
    shares = {node.name: node.unit_shares for node in nodes}
    return [seat for name in sorted(held) for seat in _on_node(held[name], on_node[name], shares.get(name, {}))]


def _on_node(pods: list[Pod], devices: list[Device], shares: dict[str, Fraction]) -> list[Seat]:
    named = {id(pod): [d for d in devices if _names(d, pod)] for pod in pods}
    lacking = [pod for pod in pods if _boards(pod, named[id(pod)]) < _cards(pod, shares)]
    seats = []
    for pod in pods:
        unit, mine = shares.get(pod.resource, Fraction(1)), named[id(pod)]
        if _pooled(pod, unit) and not mine:
            mine, inferred = [d for d in devices if not d.instance], False
        else:
            taken = {id(d) for other in pods if _overlap(other, pod) for d in named[id(other)]}
            free = [d for d in devices if id(d) not in taken]
            added = _by_elimination(pod, lacking, mine, free, shares)
            mine, inferred = _one_each(mine + added, unit), bool(added)
        boards = _boards(pod, mine)
        cards = max(boards, _cards(pod, shares), 1)
        spans = [_seen(device) if len(mine) > boards else (-inf, inf) for device in mine]
        seats += [Seat(pod, d, float(unit), float(unit * pod.quantity / cards), inferred, span) for d, span in zip(mine, spans, strict=True)]
    return seats


def _seen(device: Device) -> tuple[float, float]:
    """When a device was there, where another took its place: neither speaks for the other's time."""
    return device.seen[0] - device.interval / 2, device.seen[1] + device.interval / 2


def _one_each(devices: list[Device], unit: Fraction) -> list[Device]:
    """An instance id that was two devices in the hour is the one as large as what the pod holds."""
    found: dict[tuple[str, str], Device] = {}
    for device in devices:
        if (device.uuid, device.instance) not in found or instance_size(device) == unit:
            found[device.uuid, device.instance] = device
    return list(found.values())


def _boards(pod: Pod, devices: list[Device]) -> int:
    """How many of the devices were there at one time of the lease: one that replaced another is no second one."""
    lease = pod.lease
    assert lease is not None
    return at_once((max(device.seen[0], lease.start), min(device.seen[1], lease.end)) for device in devices)


def _names(device: Device, pod: Pod) -> bool:
    """A label counts only while its pod holds the lease."""
    lease, times = pod.lease, device.named.get((pod.namespace, pod.name))
    return lease is not None and times is not None and bool(np.any((times >= lease.start) & (times < lease.end)))


def _pooled(pod: Pod, unit: Fraction) -> bool:
    return unit < 1 and "_mig_" not in pod.resource and unit.numerator == 1


def _cards(pod: Pod, shares: dict[str, Fraction]) -> int:
    return 0 if _pooled(pod, shares.get(pod.resource, Fraction(1))) else pod.quantity


def _by_elimination(pod: Pod, lacking: list[Pod], mine: list[Device], free: list[Device], shares: dict[str, Fraction]) -> list[Device]:
    """Unlabelled cards are a lease's where it alone lacks cards while it lasts, and they are as many as it lacks."""
    missing = _cards(pod, shares) - _boards(pod, mine)
    rivals = [other for other in lacking if other is not pod and _overlap(other, pod)]
    unit = shares.get(pod.resource, Fraction(1))
    fitting = [d for d in free if instance_size(d) == unit or instance_size(d) is None and unit < 1]
    return fitting if missing > 0 and not rivals and len(fitting) == missing else []


def _overlap(a: Pod, b: Pod) -> bool:
    return bool(a.lease and b.lease and a.lease.start < b.lease.end and b.lease.start < a.lease.end)


def _quarters(seat: Seat, group: list[Seat], *, start: float, end: float) -> list[Use]:
    lease, device = seat.pod.lease, seat.device
    assert lease is not None
    inside = (device.time >= lease.start) & (device.time < lease.end)
    first, last = max(lease.started, seat.span[0]), min(lease.end, seat.span[1])
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
    rows = []
    for q in range(count):
        a, b = start + q * QUARTER, min(start + (q + 1) * QUARTER, end)
        held = max(0.0, min(lease.end, b) - max(lease.start, a))
        if held:
            measured = min(float(histogram[q].sum()), held)
            used = min(float(worked[q]), measured * seat.share)
            whole = np.rint(histogram[q]).astype(int).tolist()
            rows.append(
                Use(a, device, seat.pod, seat.share, held, measured, used, int(kept[q]), int(rejected[q]), whole, seat.inferred, bool(estimated[q]))
            )
    return rows


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
                edges |= {float(seat.pod.lease.started), float(seat.pod.lease.end)}
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
    return (moments >= lease.started) & (moments < lease.end)
