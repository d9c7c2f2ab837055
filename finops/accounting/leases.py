"""When a pod held its GPUs: from what kube-state-metrics said at any time, in any order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sightings:
    """All that is known of one pod, each field a minimum or a maximum over windows. Unix seconds, None unknown.

    first_held, last_held: scrapes that saw it bound and not ended; half_interval: half a scrape interval in seconds;
    ended: first scrape that saw a terminal phase; completed: `kube_pod_completion_time` with a terminal phase;
    taken: when another pod was bound to a device of it, after the last scrape that saw it hold.
    """

    first_held: float | None
    last_held: float | None
    half_interval: float
    scheduled: float | None = None
    accepted: float | None = None
    started: float | None = None
    ended: float | None = None
    completed: float | None = None
    taken: float | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """[start, end) in unix seconds; before `started` it is starting; `seen` says whether the end has a timestamp."""

    start: float
    started: float
    end: float
    seen: bool


def lease(pod: Sightings) -> Lease | None:
    """The lease of one pod; None where it never held anything."""
    start = next((t for t in (pod.scheduled, pod.accepted, pod.first_held) if t is not None), None)
    if start is None:
        return None
    end, seen = _end(pod, start)
    if round(end) <= round(start):
        return None
    started = min(max(pod.started, start), end) if pod.started is not None else end
    return Lease(round(start), round(started), round(end), seen)


def _end(pod: Sightings, start: float) -> tuple[float, bool]:
    if pod.ended is not None and pod.completed is not None and pod.completed >= start:
        return pod.completed, True
    if pod.last_held is None:  # no scrape saw it hold: one that a kubelet refuses at its door never did
        return start, False
    last = pod.last_held
    bounds = [last + pod.half_interval, *(t for t in (pod.ended,) if t is not None), *(t for t in (pod.taken,) if t is not None and t > last)]
    return max(last, min(bounds)), False
