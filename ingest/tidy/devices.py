"""Devices in one hour: one clean stream of busy fractions each, and the pods its series name."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

import numpy as np

from finops.accounting.usage import REACH, Floats, frozen, scrape_interval
from ingest.tidy.answers import Answers
from ingest.tidy.own_values import NONE, OwnValues, Pod, own_values
from ingest.tidy.places import Places
from ingest.tidy.rows import Row, rows
from ingest.tidy.streams import Series, prefer, stream


@dataclass(slots=True)
class Device:
    """One board or MIG instance. `time`, `busy`: [n] seconds and fractions; `named`: times at which a series named a pod."""

    uuid: str
    instance: str
    node: str
    model: str
    slices: int
    interval: float
    time: Floats
    busy: Floats
    rejected: Floats  # times of samples that were no measurement
    source: str
    frozen: bool
    named: dict[Pod, Floats] = field(default_factory=dict)
    seen: tuple[float, float] = (-inf, inf)  # first and last sample of any kind
    slot: str = ""  # where in the machine it sits
    own: OwnValues = NONE

    @property
    def shared(self) -> bool:
        """Whether two pods are named within one scrape interval of each other."""
        if len(self.named) < 2:
            return False
        moments = sorted((t, pod) for pod, times in self.named.items() for t in times)
        close = sum(a[1] != b[1] and b[0] - a[0] < 2 * self.interval for a, b in zip(moments, moments[1:], strict=False))
        return close > 3


def devices(answers: Answers, known: set[Pod], node_names: set[str], *, configured: float | None) -> list[Device]:
    """Every device with a series. `known`: (namespace, pod) of pods that hold GPUs; no other is believed."""
    found = rows(answers, known)
    place = Places(answers, node_names)
    instances: dict[str, list[Row]] = defaultdict(list)
    for (uuid, instance, _), row in found.items():
        if instance:
            instances[uuid].append(row)
    kept = {key: row if key[1] else _uncut(row, instances[key[0]]) for key, row in sorted(found.items())}
    return [_device(*key, row, place.node(row.labels), configured) for key, row in kept.items() if row]


def _uncut(row: Row, instances: list[Row]) -> Row | None:
    """A board while it was whole: a parent's row beside its instances counts for nothing, and what no pod held before or after neither."""
    if not instances:
        return row
    spans = [row.span() for row in instances]
    whole = row.outside(min(first for first, _ in spans), max(last for _, last in spans))
    return whole if whole.named else None


def slots(devices: Iterable[Device]) -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
    """By node and slot: first and last sample of each board that was in it."""
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = defaultdict(dict)
    for device in devices:
        first, last = found[device.node, device.slot].get(device.uuid, device.seen)
        found[device.node, device.slot][device.uuid] = min(first, device.seen[0]), max(last, device.seen[1])
    return found


def at_once(spans: Iterable[tuple[float, float]]) -> int:
    """The most of these [first, last] spans at one time: what ended before another began was replaced by it."""
    kept = [span for span in spans if span[0] <= span[1]]
    return max((sum(1 for a, b in kept if a <= moment <= b) for moment, _ in kept), default=0)


def _device(uuid: str, instance: str, slices: int, row: Row, node: str, configured: float | None) -> Device:
    own = own_values(row.utilisation) if not instance else NONE
    prof_time, prof, prof_bad = stream(row.profiling, percent=False)
    util_time, util, util_bad = stream([] if instance else _board(row, own), percent=True)
    interval = scrape_interval(
        prof_time if len(prof_time) else util_time, configured=configured, targets=[np.concatenate(each) for each in row.scraped.values()]
    )
    stuck = frozen(prof, prof_time, util, util_time)
    time, busy, source = prefer(prof_time[~stuck], prof[~stuck], util_time, util, stuck=prof_time[stuck], reach=REACH * interval)
    return Device(
        uuid,
        instance,
        node,
        row.labels.get("modelName", ""),
        slices,
        interval,
        time,
        busy,
        prof_bad if len(prof_time) else np.union1d(prof_bad, util_bad),
        source,
        bool(stuck.any()),
        {pod: np.sort(np.concatenate(times)) for pod, times in row.named.items()},
        row.span(),
        row.labels.get("pci_bus_id") or row.labels.get("gpu", ""),
        own,
    )


def _board(row: Row, own: OwnValues) -> list[Series]:
    """Where pods have values of their own, the board's are in the series that names none."""
    return row.utilisation[None] if own else [each for series in row.utilisation.values() for each in series]
