"""A lease's three instants, each with the series that told it."""

from fractions import Fraction

from finops.accounting.leases import Lease, Sightings
from finops.job.explanation import Held, Moment

BOUND = {
    "scheduled": "kube_pod_status_scheduled_time",
    "accepted": "kube_pod_start_time, no bind time is told",
    "first_held": "first scrape that saw it bound, no bind time is told",
}
STARTED = "kube_pod_container_state_started, else first scrape it ran"
NEVER = "no container that holds its GPUs was seen to start"
BEFORE_ITS_BINDING = "told to be before its binding; from then on"
COMPLETED = "kube_pod_completion_time"
STILL = "still held where the data end"


def held(lease: Lease, seen: Sightings, *, resource: str, node: str, quantity: int, gpus: Fraction, known_until: float) -> Held:
    """`known_until`: up to where the cluster's data reach, unix seconds."""
    return Held(
        resource,
        node,
        quantity,
        gpus,
        _bound(seen),
        _started(lease, seen),
        _ended(lease, seen, known_until),
        int(lease.start),
        int(lease.end),
    )


def _bound(seen: Sightings) -> Moment:
    name = next(name for name in BOUND if getattr(seen, name) is not None)
    return Moment(round(getattr(seen, name)), BOUND[name])


def _started(lease: Lease, seen: Sightings) -> Moment:
    if seen.started is None:
        return Moment(None, NEVER)
    return Moment(int(lease.started), BEFORE_ITS_BINDING if seen.started < lease.start - 1 else STARTED)


def _ended(lease: Lease, seen: Sightings, known_until: float) -> Moment:
    if lease.seen:
        return Moment(int(lease.end), COMPLETED)
    if seen.ended is None and lease.end >= known_until:
        return Moment(None, STILL)
    if seen.taken is not None and round(seen.taken) == lease.end:
        return Moment(int(lease.end), "another pod was bound to its device; no completion time is told")
    half = f"{seen.half_interval:g} s"
    if seen.ended is not None and seen.ended < (seen.last_held or 0) + seen.half_interval:
        return Moment(int(lease.end), "first scrape that saw it ended; no completion time is told")
    return Moment(int(lease.end), f"last scrape that saw it hold + half an interval ({half}); no completion time is told")
