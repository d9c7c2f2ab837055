"""When a pod held its GPUs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.leases import Lease, Sightings, lease

RUNNING = Sightings(first_held=1030, last_held=4570, half_interval=30, scheduled=1000, accepted=1002, started=1500)


def test_it_begins_when_bound_and_ends_half_an_interval_after_it_was_last_seen() -> None:
    assert lease(RUNNING) == Lease(1000, 1500, 4600, False)


def test_what_stands_in_for_a_missing_bind_time() -> None:
    assert lease(replace(RUNNING, scheduled=None)) == Lease(1002, 1500, 4600, False)
    assert lease(replace(RUNNING, scheduled=None, accepted=None)) == Lease(1030, 1500, 4600, False)


def test_an_image_that_never_comes_is_starting_to_the_end() -> None:
    assert lease(replace(RUNNING, started=None)) == Lease(1000, 4600, 4600, False)


def test_a_completion_time_ends_it() -> None:
    assert lease(replace(RUNNING, ended=4630, completed=4581)) == Lease(1000, 1500, 4581, True)


def test_a_completion_time_without_a_terminal_phase_does_not() -> None:
    assert lease(replace(RUNNING, completed=2000)) == Lease(1000, 1500, 4600, False)


def test_a_terminal_phase_without_a_time_ends_it_at_most_half_an_interval_on() -> None:
    assert lease(replace(RUNNING, ended=4630)) == Lease(1000, 1500, 4600, False)
    assert lease(replace(RUNNING, ended=4580)) == Lease(1000, 1500, 4580, False)


def test_a_start_before_the_bind_or_after_the_end_is_cut() -> None:
    assert lease(replace(RUNNING, started=900)) == Lease(1000, 1000, 4600, False)
    assert lease(replace(RUNNING, started=9000)) == Lease(1000, 4600, 4600, False)


def test_what_was_never_bound_or_held_nothing_has_no_lease() -> None:
    assert lease(Sightings(None, None, 30)) is None
    assert lease(Sightings(None, None, 30, scheduled=1000, ended=1000, completed=1000)) is None


WHEN = st.none() | st.floats(0, 10_000)


@given(WHEN, WHEN, WHEN, WHEN, WHEN, WHEN, WHEN)
def test_a_lease_is_in_order(first, last, scheduled, accepted, started, ended, completed) -> None:
    found = lease(Sightings(first, last, 30, scheduled, accepted, started, ended, completed))
    assert found is None or found.start <= found.started <= found.end


@pytest.mark.parametrize(
    ("more", "end"),
    [({"taken": 4590}, 4590), ({"taken": 4650}, 4600), ({"taken": 4500}, 4600), ({"taken": 4590, "ended": 4580}, 4580), ({"taken": 4590, "ended": 4580, "completed": 4575}, 4575)],
)
def test_an_end_that_nobody_told_is_cut_where_the_device_is_taken(more: dict, end: int) -> None:
    """Last seen at 4570; half an interval later it is 4600. A pod bound before the last sighting took nothing from it."""
    found = lease(replace(RUNNING, **more))
    assert found and found.end == end
