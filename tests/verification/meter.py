"""What the devices' exporter tells, read the slow way: section 4 of the accounting model."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from tests.verification.sightings import Lease, half_interval
from tests.verification.told import Told

PROFILING, UTILISATION = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
Device = tuple[str, str]  # UUID, GPU_I_ID
Readings = dict[int, Fraction]  # busy fraction by the second of the sample
Spoken = list[tuple[Fraction, Fraction, Fraction]]  # [from, to) and the busy fraction in it


class Meter:
    """The busy fractions of every device of a cluster, and the pods its series name."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.node: dict[Device, str] = {}
        self.model: dict[Device, str] = {}
        self.profile: dict[Device, str] = {}
        self.times: dict[str, set[int]] = defaultdict(set)
        self.named: dict[Device, list[tuple[int, str, str]]] = defaultdict(list)
        values: dict[str, dict[Device, dict[int, float]]] = {PROFILING: defaultdict(dict), UTILISATION: defaultdict(dict)}
        cut = {s.labels["UUID"] for s in told.of(PROFILING, UTILISATION) if s.labels.get("GPU_I_ID")}
        for s in told.of(PROFILING, UTILISATION):
            device = s.labels["UUID"], s.labels.get("GPU_I_ID", "")
            self.times[s.labels["Hostname"]] |= {t for t, _ in s.samples}
            if device[0] in cut and not device[1]:
                continue  # a parent beside its instances
            self.node[device], self.model[device] = s.labels["Hostname"], s.labels["modelName"]
            self.profile[device] = s.labels.get("GPU_I_PROFILE", "")
            if s.labels.get("exported_pod"):
                self.named[device] += [(t, s.labels["exported_namespace"], s.labels["exported_pod"]) for t, _ in s.samples]
            values[s.name][device] |= dict(s.samples)
        self.readings = {
            device: _busy(values[PROFILING].get(device, {}), values[UTILISATION].get(device, {}), device) for device in self.node
        }

    def devices(self, lease: Lease) -> set[Device]:
        """The devices whose series name the pod while it holds a lease."""
        who = lease.namespace, lease.pod
        mine = (d for d, node in self.node.items() if node == lease.node)
        return {d for d in mine if any(tuple(name) == who and lease.bound <= t < lease.end for t, *name in self.named[d])}

    def spoken(self, device: Device, lease: Lease, within: tuple[int, int]) -> Spoken:
        """What the samples taken in the lease say about its running time inside `within`."""
        taken = sorted(t for t in self.readings[device] if lease.bound <= t < lease.end)
        begin, end = (max(lease.runs()[0], within[0]), min(lease.end, within[1]))
        spoken = []
        for before, t, after in zip([None, *taken], taken, [*taken[1:], None], strict=False):
            reach = 3 * half_interval(self.told, self.times[self.node[device]], t)
            first = t - reach if before is None else max(t - reach, Fraction(before + t, 2))
            last = t + reach if after is None else min(t + reach, Fraction(t + after, 2))
            if max(first, begin) < min(last, end):
                spoken.append((max(first, begin), min(last, end), self.readings[device][t]))
        return spoken


def _busy(profiling: dict[int, float], utilisation: dict[int, float], device: Device) -> Readings:
    """Profiling where the device has it, else, but for a MIG instance, utilisation; frozen profiling gives way to it."""
    ratio, percent = _sound(profiling, 1, Fraction("1.05")), _sound(utilisation, 100, Fraction("100.5"))
    if not ratio:
        return {} if device[1] else percent
    return ratio | ({} if device[1] else {t: percent[t] for t in _frozen(ratio, percent)})


def _sound(samples: dict[int, float], full: int, most: Fraction) -> Readings:
    """What is no number between nothing and `most` is no measurement; a little above `full` is full."""
    kept = {t: Fraction(v) for t, v in samples.items() if v == v and 0 <= v <= most}
    return {t: min(v / full, Fraction(1)) for t, v in kept.items()}


def _frozen(ratio: Readings, percent: Readings) -> Iterable[int]:
    """Runs of ten or more samples of exactly 0, in most of which utilisation is 20 % or more."""
    run: list[int] = []
    for t in [*sorted(ratio), None]:
        if t is not None and ratio[t] == 0:
            run.append(t)
            continue
        if len(run) >= 10 and sum(percent.get(each, 0) >= Fraction(1, 5) for each in run) * 2 > len(run):
            yield from (each for each in run if each in percent)
        run = []
