"""A lease cut where it changes hands."""

from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from finops.accounting.charge import Hold, Pool, charge
from finops.accounting.pieces import pieces

QUARTERS = [(q, q + 900) for q in range(0, 3600, 900)]
D = Decimal


def lease(start: int = 0, started: int = 0, end: int = 3600, *, busy: float = 1.0, **more) -> Hold:
    ran = {q: float(max(0, min(end, q[1]) - max(started, q[0]))) for q in QUARTERS}
    return Hold("a", Fraction(1), start, started, end, ran, {q: seconds * busy for q, seconds in ran.items()}, **more)


def test_no_cut_inside_leaves_it_whole() -> None:
    whole = lease(600, 600, 1800)
    assert pieces(whole, [0, 600, 1800, 3000]) == [whole]


def test_a_cut_divides_the_quarter_it_falls_into() -> None:
    first, second = pieces(lease(busy=0.5), [1200])
    assert (first.id, first.start, first.end, second.id, second.start, second.end) == ("a", 0, 1200, "a 1", 1200, 3600)
    assert first.measured == {(0, 900): 900, (900, 1800): 300}
    assert second.measured == {(900, 1800): 600, (1800, 2700): 900, (2700, 3600): 900}
    assert sum(first.used.values()) == 600
    assert sum(second.used.values()) == 1200


def test_a_piece_before_the_start_is_starting_to_its_end() -> None:
    first, second = pieces(lease(started=2000), [1000])
    assert (first.started, first.measured) == (1000, {})
    assert (second.started, sum(second.measured.values())) == (2000, 1600)


def test_only_the_last_piece_has_an_end_without_a_timestamp() -> None:
    assert [piece.last_held for piece in pieces(lease(last_held=3570), [1000, 2000])] == [None, None, 3570]


def test_one_third_and_two_thirds_of_an_hour() -> None:
    lines, _ = charge(Pool(1, 0, 3600), pieces(lease(), [1200]), [(0, 3600, D(3))], QUARTERS)
    assert {line.id: sum(line.hours.values()) for line in lines} == {"a": D("0.3333333333"), "a 1": D("0.6666666667")}
    assert sum(sum(line.costs.values()) for line in lines) == 3


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 3600), max_size=5), st.integers(0, 3600), st.floats(0, 1))
def test_cutting_changes_no_bucket_of_the_lease(cuts: list[int], started: int, busy: float) -> None:
    def buckets(holds: list[Hold]) -> dict[str, Decimal]:
        lines, excess = charge(Pool(1, 0, 3600), holds, [(0, 3600, None)], QUARTERS)
        assert excess == 0
        return {b: sum((line.hours.get(b, D(0)) for line in lines), D(0)) for b in ("used", "idle", "starting", "unmeasured", "unallocated")}

    whole, cut = buckets([lease(started=started, busy=busy)]), buckets(pieces(lease(started=started, busy=busy), cuts))
    for bucket, hours in whole.items():
        assert abs(hours - cut[bucket]) <= D("1e-8"), bucket  # measured time counts to the microsecond
    assert sum(cut.values()) == 1
