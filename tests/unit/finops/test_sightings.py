"""Which hour's row tells of an hour: its own, or its neighbours'."""

from datetime import UTC, datetime, timedelta

from finops.sightings import Machine, Pod, Sighting

TEN = datetime(2026, 10, 6, 10, tzinfo=UTC)


def at(hours: float) -> datetime:
    return TEN + timedelta(hours=hours)


def machine(*hours: float, first: float = 0.0, last: float = 3600.0) -> Machine:
    """Seen in these hours from ten o'clock; `first`, `last`: seconds within each."""
    made = Machine()
    for n in hours:
        begin = at(n).timestamp()
        made.add(Sighting(at(n), (n,)), first=begin + first, last=begin + last)
    return made


def told(found: tuple[Sighting, Sighting | None, bool] | None) -> tuple | None:
    """(the hour that tells, the hour before, whether one follows), from ten o'clock."""
    return found and (found[0].told[0], found[1] and found[1].told[0], found[2])


def test_an_hour_with_a_row_is_told_by_it() -> None:
    assert [told(machine(0, 1, 2).at(at(n))) for n in (0, 1, 2)] == [(0, None, True), (1, 0, True), (2, 1, False)]


def test_a_gap_is_told_by_the_hour_before_it() -> None:
    assert [told(machine(0, 3).at(at(n))) for n in (1, 2)] == [(0, 0, True)] * 2


def test_before_the_first_row_and_after_the_last_it_was_not_there() -> None:
    assert [machine(0).at(at(n)) for n in (-1, 1)] == [None, None]


def test_a_gap_of_more_than_seven_days_is_an_absence() -> None:
    """From hour 0 the hour 168 lies seven days off, 169 more; what follows at hour 170 is near enough to both."""
    seen = machine(0, 170)
    assert [told(seen.at(at(n))) for n in (2, 168, 169)] == [(0, 0, True), (0, 0, True), None]
    assert told(seen.at(at(1))) is None  # hour 170 is 169 hours off


def test_a_row_of_its_margin_alone_says_nothing_about_its_own_hour() -> None:
    """First seen after its hour's end it does not stand before another; last seen before its beginning, not after one."""
    assert told(machine(0, 2, first=3600.0).at(at(2))) == (2, None, False)
    assert told(machine(0, 2, last=-60.0).at(at(0))) == (0, None, False)


def test_a_pod_is_told_by_the_last_hour_up_to_it_else_by_the_first_after() -> None:
    pod = Pod([at(1), at(3)], [Sighting(at(1), ("one",)), Sighting(at(3), ("three",))])
    assert [pod.nearest(at(n)).told for n in (0, 1, 2, 3, 9)] == [("one",), ("one",), ("one",), ("three",), ("three",)]
