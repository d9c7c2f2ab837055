"""The company's own account, straight from its pods and curves: what the ledger should say, computed another way.

Exact but for sampling: busy curves are summed on a grid of `STEP` seconds, and what the silent exporter leaves unmeasured is
its silence itself, while samples beside it speak for up to a minute and a half of it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.simulator import exporter
from ingest.simulator.fleet import Device, Node
from ingest.simulator.pods import Pod
from ingest.simulator.schedule import Schedule

STEP = 30.0
HOUR = 3600.0
Key = tuple[float, str, str, str]  # hour's start, team, namespace, job


@dataclass(slots=True)
class Account:
    """GPU-hours of one job in one hour."""

    allocated: float = 0.0
    starting: float = 0.0
    used: float = 0.0
    idle: float = 0.0
    unmeasured: float = 0.0


@dataclass(slots=True)
class Truth:
    """`jobs`: by (hour, team, namespace, job), team "" where no rule names one; `capacity`: GPU-hours by (hour, pool)."""

    jobs: dict[Key, Account] = field(default_factory=lambda: defaultdict(Account))
    capacity: dict[tuple[float, str], float] = field(default_factory=lambda: defaultdict(float))


def truth(schedule: Schedule, start: float, end: float) -> Truth:
    """The account of [start, end); `start` is on the hour."""
    found = Truth()
    pods = [pod for pod in schedule.pods(start, end) if pod.bound is not None]
    silences = schedule.silences(start, end)
    for node in schedule.nodes(start, end):
        quiet = [(a, b) for name, a, b in silences if name == node.name]
        here = [pod for pod in pods if pod.node == node.name]
        for hour in np.arange(start, end, HOUR).tolist():
            found.capacity[hour, node.pool] += 4 * _overlap(node.joined, node.left, hour, min(hour + HOUR, end)) / HOUR
        for device in node.devices():
            _device(found, device, node, exporter.seats(device, node, here), quiet, start, end)
    return found


def _device(
    found: Truth, device: Device, node: Node, taken: Sequence[tuple[Pod, int]], quiet: list[tuple[float, float]], start: float, end: float
) -> None:
    time = np.arange(start + STEP / 2, end, STEP)
    hours = np.arange(start, end, HOUR).tolist()
    cell = ((time - start) // HOUR).astype(int)
    heard = np.ones(len(time), dtype=bool)
    for a, b in quiet:
        heard &= (time < a) | (time >= b)
    share = device.slices / 7 / node.replicas
    fraction = exporter.measured(device, node, exporter.busy(device, taken, time))
    started = sum((share * ((time >= pod.started) & (time < pod.ended)) for pod, _ in taken), np.zeros(len(time)))
    for pod, _ in taken:
        runs = (time >= pod.started) & (time < pod.ended) & heard
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(started > 0, fraction * (device.slices / 7) * share / started, 0.0)
        used = np.bincount(cell, weights=np.where(runs, np.minimum(part, share), 0.0), minlength=len(hours)) * STEP / HOUR
        for n, hour in enumerate(hours):
            _add(found, pod, hour, min(hour + HOUR, end), share, float(used[n]), quiet)


def _add(found: Truth, pod: Pod, hour: float, until: float, share: float, used: float, quiet: list[tuple[float, float]]) -> None:
    assert pod.bound is not None
    held = _overlap(pod.bound, pod.ended, hour, until)
    if not held:
        return
    account = found.jobs[hour, pod.job.team, pod.job.namespace, pod.job.name]
    starting = _overlap(pod.bound, pod.started, hour, until)
    silent = sum(_overlap(max(pod.started, a), min(pod.ended, b), hour, until) for a, b in quiet)
    account.allocated += share * held / HOUR
    account.starting += share * starting / HOUR
    account.unmeasured += share * silent / HOUR
    account.used += used
    account.idle += share * (held - starting - silent) / HOUR - used


def _overlap(a: float, b: float, start: float, end: float) -> float:
    return max(0.0, min(b, end) - max(a, start))
