"""Which pod sat on which device, and for how much of it."""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

import numpy as np

from finops.accounting.gpu_resources import CLAIM, measurable
from ingest.tidy.devices import Device, at_once
from ingest.tidy.nodes import Node, instance_size
from ingest.tidy.pods import Pod


@dataclass(frozen=True, slots=True)
class Seat:
    """A pod on a device: `share` GPUs of it, over the `span` in which it was this device; `unit` GPUs is one of what it holds."""

    pod: Pod
    device: Device
    unit: float
    share: float
    inferred: bool
    span: tuple[float, float] = (-inf, inf)

    @property
    def end(self) -> float:
        """When the pod leaves the device, at the latest."""
        assert self.pod.lease is not None
        return min(self.pod.lease.end, self.span[1])


def seated(pods: list[Pod], nodes: list[Node], devices: list[Device]) -> list[list[Seat]]:
    """The seats of each device that any pod sat on."""
    by_device: dict[int, list[Seat]] = defaultdict(list)
    for seat in _seats(pods, nodes, devices):
        by_device[id(seat.device)].append(seat)
    return [[_before_the_next(seat, group) for seat in group] for group in by_device.values()]


def taken_from(seats: list[list[Seat]]) -> dict[tuple[str, str], float]:
    """When the next pod took a device of a lease whose end no timestamp tells, after its last sighting; by uid and resource."""
    found: dict[tuple[str, str], float] = {}
    for group in seats:
        for seat in group:
            key, last = (seat.pod.uid, seat.pod.resource), seat.pod.seen.last_held
            if last is not None and (later := [start for start in _next(seat, group) if start > last]):
                found[key] = min([found.get(key, inf), *later])
    return found


def _before_the_next(seat: Seat, group: list[Seat]) -> Seat:
    """An end that no timestamp tells is cut where the next pod takes the device, unless both fit on it."""
    return replace(seat, span=(seat.span[0], min([seat.span[1], *_next(seat, group)])))


def _next(seat: Seat, group: list[Seat]) -> list[float]:
    """When others that do not fit beside it took the device, before an end that no timestamp tells."""
    lease = seat.pod.lease
    assert lease is not None
    known = instance_size(seat.device)
    size = 1.0 if known is None else float(known)
    later = [each.pod.lease.start for each in group if each.pod.lease and each is not seat and each.share + seat.share > size]
    return [] if lease.seen else [start for start in later if lease.start < start < lease.end]


def _seats(pods: list[Pod], nodes: list[Node], devices: list[Device]) -> list[Seat]:
    on_node: dict[str, list[Device]] = defaultdict(list)
    for device in devices:
        on_node[device.node].append(device)
    held: dict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        if pod.lease and measurable(pod.resource):
            held[pod.node].append(pod)
    shares = {node.name: node.unit_shares for node in nodes}
    return [seat for name in sorted(held) for seat in _on_node(held[name], on_node[name], shares.get(name, {}))]


def _on_node(pods: list[Pod], devices: list[Device], shares: dict[str, Fraction]) -> list[Seat]:
    named = {id(pod): [d for d in devices if _names(d, pod)] for pod in pods}
    lacking = [pod for pod in pods if _boards(pod, named[id(pod)]) < _cards(pod, shares)]
    claiming = [pod for pod in pods if pod.resource == CLAIM]
    seats = _claimed({id(pod): named[id(pod)] for pod in claiming}, claiming)
    for pod in pods:
        if pod.resource == CLAIM:
            continue
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


def _claimed(named: dict[int, list[Device]], pods: list[Pod]) -> list[Seat]:
    """What pods hold through claims: the devices whose series name them, each shared out among the pods that hold it at one time."""
    seats = []
    for pod in pods:
        for device in named[id(pod)]:
            if (size := instance_size(device)) is not None:
                beside = [other.lease for other in pods if any(each is device for each in named[id(other)]) and other.lease]
                many = at_once((span.start, span.end - 1) for span in beside)
                seats.append(Seat(pod, device, float(size), float(size / max(many, 1)), False))
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
