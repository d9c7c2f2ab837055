"""What a span of samples tells of leases and of their use. An hour's measured use is reckoned from the hour and its margins alone."""

from fractions import Fraction

from tests.verification.meter import Device, Meter
from tests.verification.sightings import Lease, Node, cut, leases
from tests.verification.told import HOUR, QUARTER, Told

Part = tuple[Fraction, Fraction]


class Known:
    """Leases as these samples alone tell them, and their devices."""

    def __init__(self, told: Told, nodes: dict[str, Node]) -> None:
        self.nodes, self.meter = nodes, Meter(told)
        self.leases = [lease for lease in leases(told) if lease.node in nodes]
        named = {lease.uid: self.meter.devices(lease) for lease in self.leases}
        self.devices = {lease.uid: named[lease.uid] | self._unnamed(lease, named) for lease in self.leases}
        self.leases = [cut(lease, self._same_devices(lease)) for lease in self.leases]

    def shared(self, lease: Lease) -> bool:
        return self.nodes[lease.node].shared(lease.resource)

    def _same_devices(self, lease: Lease) -> list[Lease]:
        """The leases of its devices; on a shared board none, as several fit."""
        if sum(self.nodes[lease.node].capacity.values()) == 1:
            return [other for other in self.leases if other.node == lease.node]
        mine = set() if self.shared(lease) else self.devices[lease.uid]
        return [other for other in self.leases if self.devices[other.uid] & mine]

    def _unnamed(self, lease: Lease, named: dict[str, set[Device]]) -> set[Device]:
        """A pod of a shared board that nothing names is on its node's board. Else, where it alone lacks devices, those left, if as many."""
        there = {device for device, node in self.meter.node.items() if node == lease.node}
        if self.shared(lease):
            return set() if named[lease.uid] else there
        beside = [other for other in self.leases if other.uid != lease.uid and other.node == lease.node and _overlap(other, lease)]
        lacking = [other for other in beside if len(named[other.uid]) < other.units]
        alike = {device for device in there if self.nodes[lease.node].fits(lease.resource, self.meter.profile[device])}
        free = alike - named[lease.uid] - {device for other in beside for device in named[other.uid]}
        return free if not lacking and len(free) == lease.units - len(named[lease.uid]) else set()

    def use(self, uid: str, begin: int) -> tuple[Fraction, Fraction]:
        """(measured, used) GPU-hours of a lease in the quarter from `begin` on."""
        lease = next((lease for lease in self.leases if lease.uid == uid), None)
        measured = used = Fraction(0)
        for device in self.devices[uid] if lease else ():
            share = self._share(lease)
            mates = [other for other in self.leases if device in self.devices[other.uid]] if self.shared(lease) else [lease]
            for first, last, busy in self.meter.spoken(device, lease, (begin, begin + QUARTER)):
                for part in parts((first, last), [moment for other in mates for moment in other.runs()]):
                    there = sum(self._share(other) for other in mates if other.runs()[0] <= part[0] < other.end)
                    measured += share * hours(part)
                    used += min(share, busy * (share / there if self.shared(lease) else share)) * hours(part)
        return measured, used

    def _share(self, lease: Lease) -> Fraction:
        """Its part of each of its devices."""
        unit = self.nodes[lease.node].unit(lease.resource)
        return unit * lease.units if self.shared(lease) else unit


def _overlap(one: Lease, other: Lease) -> bool:
    return one.bound < other.end and other.bound < one.end


def parts(span: Part, turns: list[Fraction]) -> list[Part]:
    """`span` cut at each of `turns`."""
    moments = [span[0], *sorted({turn for turn in turns if span[0] < turn < span[1]}), span[1]]
    return [(a, b) for a, b in zip(moments, moments[1:], strict=False) if b > a]


def hours(part: Part) -> Fraction:
    return (part[1] - part[0]) / HOUR
