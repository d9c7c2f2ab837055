"""Each instant of a lease with the series that told it."""

from fractions import Fraction

import pytest

from finops.accounting.leases import Sightings, lease
from finops.job.explanation import Held
from finops.job.instants import held


def told(seen: Sightings, *, known_until: float = 10_000.0) -> Held:
    span = lease(seen)
    assert span
    return held(span, seen, resource="nvidia_com_gpu", node="n1", quantity=1, gpus=Fraction(1), known_until=known_until)


@pytest.mark.parametrize(
    ("seen", "at", "by"),
    [
        (Sightings(160, 600, 30, scheduled=100, accepted=120), 100, "kube_pod_status_scheduled_time"),
        (Sightings(160, 600, 30, accepted=120), 120, "kube_pod_start_time, no bind time is told"),
        (Sightings(160, 600, 30), 160, "first scrape that saw it bound, no bind time is told"),
    ],
)
def test_bound(seen: Sightings, at: int, by: str) -> None:
    assert (told(seen).bound.at, told(seen).bound.told_by) == (at, by)


@pytest.mark.parametrize(
    ("started", "at", "by"),
    [
        (200.0, 200, "kube_pod_container_state_started, else first scrape it ran"),
        (None, None, "no container that holds its GPUs was seen to start"),
        (50.0, 100, "told to be before its binding; from then on"),
    ],
)
def test_started(started: float | None, at: int | None, by: str) -> None:
    found = told(Sightings(160, 600, 30, scheduled=100, started=started)).started
    assert (found.at, found.told_by) == (at, by)


@pytest.mark.parametrize(
    ("more", "known_until", "at", "by"),
    [
        ({"ended": 640.0, "completed": 615.0}, 10_000, 615, "kube_pod_completion_time"),
        ({}, 10_000, 630, "last scrape that saw it hold + half an interval (30 s); no completion time is told"),
        ({}, 630, None, "still held where the data end"),
        ({"ended": 610.0}, 10_000, 610, "first scrape that saw it ended; no completion time is told"),
        ({"ended": 660.0}, 10_000, 630, "last scrape that saw it hold + half an interval (30 s); no completion time is told"),
        ({"ended": 660.0}, 600, 630, "last scrape that saw it hold + half an interval (30 s); no completion time is told"),
    ],
)
def test_ended(more: dict[str, float], known_until: float, at: int | None, by: str) -> None:
    found = told(Sightings(160, 600, 30, scheduled=100, **more), known_until=known_until)
    assert (found.ended.at, found.ended.told_by) == (at, by)


def test_the_lease_as_it_is_charged() -> None:
    found = told(Sightings(160, 600, 30, scheduled=100.4, ended=640, completed=615.6))
    assert (found.start, found.end) == (100, 616)
