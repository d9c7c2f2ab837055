"""One hour of one pool, worked by hand."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from finops.accounting.charge import BUCKETS, Hold, Line, Pool, charge

D, HOUR, DAY = Decimal, 3600, 86400
QUANTUM = D("1e-10")


def quarters(end: int) -> list[tuple[int, int]]:
    return [(a, a + 900) for a in range(0, end, 900)]


def hold(id_: str, gpus: Fraction | int, start: int, end: int, *, busy: float | None = 1.0, started: int | None = None, **more) -> Hold:
    """`busy`: mean busy fraction over all its GPUs; None where nobody measured."""
    gpus, started = Fraction(gpus), start if started is None else started
    spans = {(a, b): float(gpus) * (min(end, b) - max(started, a)) for a, b in quarters(DAY) if a < end and b > started}
    measured = {} if busy is None else spans
    return Hold(id_, gpus, start, started, end, measured, {q: s * (busy or 0) for q, s in measured.items()}, **more)


def bill(boards: int, holds: list[Hold], *prices: tuple[int, int, Decimal | None]) -> dict[str, Line]:
    end = prices[-1][1]
    lines, excess = charge(Pool(boards, 0, end), holds, prices, quarters(end))
    assert excess == 0
    return {line.id: line for line in lines}


def near(value: Decimal, digits: str) -> bool:
    return abs(value - D(digits)) <= D("0.0000005")


def test_ten_minutes_of_image_pull_are_not_unmeasured() -> None:
    lines = bill(1, [hold("a", 1, 0, HOUR, started=360)], (0, HOUR, D(1)))
    assert lines["a"].hours == {"used": D("0.9"), "idle": 0, "starting": D("0.1"), "unmeasured": 0}


def test_a_part_of_a_board_that_was_measured_throughout_leaves_nothing_unmeasured() -> None:
    """Two sevenths of a quarter of an hour are 257.142857… s; what is cut off behind the microsecond is no time that nobody measured."""
    lines = bill(1, [hold("a", Fraction(2, 7), 0, HOUR)], (0, HOUR, D(7)))
    assert lines["a"].hours == {"used": D("0.2857142857"), "idle": 0, "starting": 0, "unmeasured": 0}


def test_a_price_change_inside_an_hour_charges_the_use_of_each_part() -> None:
    lines, _ = charge(Pool(1, 0, HOUR), [hold("a", 1, 0, HOUR, busy=0.5)], [(0, 1080, D(3)), (1080, HOUR, D(6))], quarters(HOUR))
    assert [(line.start, line.end, line.price) for line in lines] == [(0, 1080, D(3)), (1080, HOUR, D(6))]
    assert [line.costs["used"] for line in lines] == [D("0.45"), D("2.1")]
    assert [line.costs["idle"] for line in lines] == [D("0.45"), D("2.1")]


def test_no_price_is_no_cost() -> None:
    lines = bill(2, [hold("a", 1, 0, HOUR)], (0, HOUR, None))
    assert lines["a"].costs is None and lines[""].costs is None
    assert lines["a"].hours["used"] == 1


def test_leases_above_the_pool_are_scaled_and_the_excess_told() -> None:
    lines, excess = charge(Pool(2, 0, HOUR), [hold("a", 2, 0, HOUR), hold("b", 2, 0, HOUR)], [(0, HOUR, D(1))], quarters(HOUR))
    assert [sum(line.hours.values()) for line in lines] == [1, 1]
    assert excess == 7200


def test_an_end_without_a_timestamp_gives_way_to_a_newcomer() -> None:
    old, new = hold("old", 1, 0, 1830, last_held=1800), hold("new", 1, 1810, HOUR)
    lines = bill(1, [old, new], (0, HOUR, D(1)))
    assert sum(lines["old"].hours.values()).quantize(D("1e-6")) == D("0.502778")
    assert sum(lines["new"].hours.values()).quantize(D("1e-6")) == D("0.497222")


def test_it_does_not_give_way_where_both_fit() -> None:
    old, new = hold("old", 1, 0, 1830, last_held=1800), hold("new", 1, 1810, HOUR)
    lines = bill(2, [old, new], (0, HOUR, D(1)))
    assert sum(lines["old"].hours.values()).quantize(D("1e-6")) == D("0.508333")


@st.composite
def lease(draw, most: Fraction):
    gpus = draw(st.sampled_from([g for g in (Fraction(1, 7), Fraction(2, 7), Fraction(1, 3), Fraction(1), Fraction(2), Fraction(5)) if g <= most]))
    start, started, end = sorted(draw(st.lists(st.integers(0, HOUR), min_size=3, max_size=3, unique=True)))
    measured, used = {}, {}
    for q in quarters(HOUR):
        ran = float(gpus) * max(0, min(end, q[1]) - max(started, q[0]))
        measured[q] = ran * draw(st.floats(0, 1))
        used[q] = measured[q] * draw(st.floats(0, 1))
    return gpus, start, started, end, measured, used


def holds(most: int, above: bool):
    """Random leases; not `above`: no more than fit, whenever they run."""
    def fit(found) -> list[Hold]:
        kept, room = [], Fraction(most)
        for i, each in enumerate(found):
            if above or each[0] <= room:
                room -= each[0]
                kept.append(Hold(f"p{i}", *each))
        return kept
    return st.lists(lease(Fraction(5 if above else most)), max_size=6).map(fit)


ANY = st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.booleans().flatmap(lambda above: holds(n, above))))
FITTING = st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), holds(n, False)))
PRICE = st.decimals(0, 100, places=4)


def total(lines: list[Line], what: str = "hours") -> Decimal:
    return sum((sum(getattr(line, what).values(), D(0)) for line in lines), D(0))


@settings(max_examples=150, deadline=None)
@given(ANY, PRICE)
def test_lines_add_up_exactly(pool, price: Decimal) -> None:
    lines, excess = charge(Pool(pool[0], 0, HOUR), pool[1], [(0, HOUR, price)], quarters(HOUR))
    assert total(lines) == pool[0]
    assert total(lines, "costs") == pool[0] * price
    assert all(value >= 0 for line in lines for value in (*line.hours.values(), *line.costs.values()))
    assert excess >= 0


@settings(max_examples=100, deadline=None)
@given(FITTING)
def test_what_fits_is_charged_in_full(pool) -> None:
    lines, excess = charge(Pool(pool[0], 0, HOUR), pool[1], [(0, HOUR, D(1))], quarters(HOUR))
    assert excess == 0
    found = {line.id: sum(line.hours.values()) for line in lines}
    for each in pool[1]:
        right = each.gpus * (each.end - each.start) / 3600
        assert abs(Fraction(found.get(each.id, D(0))) - right) <= 4 * Fraction(QUANTUM)


@settings(max_examples=100, deadline=None)
@given(ANY, st.integers(1, HOUR - 1))
def test_cutting_a_price_span_moves_no_sum_by_more_than_a_quantum_per_line(pool, cut: int) -> None:
    def sums(prices) -> tuple[dict, int]:
        found: dict = {}
        lines, _ = charge(Pool(pool[0], 0, HOUR), pool[1], prices, quarters(HOUR))
        for line in lines:
            for bucket, value in line.hours.items():
                found[line.id, bucket] = found.get((line.id, bucket), D(0)) + value
        return found, len(lines)

    (whole, n), (cut_up, m) = sums([(0, HOUR, D(2))]), sums([(0, cut, D(2)), (cut, HOUR, D(2))])
    assert sum(whole.values()) == sum(cut_up.values()) == pool[0]
    for key in whole.keys() | cut_up.keys():
        assert abs(whole.get(key, D(0)) - cut_up.get(key, D(0))) <= QUANTUM * (n + m), key


@settings(max_examples=100, deadline=None)
@given(ANY, st.floats(0, 1))
def test_more_use_never_changes_the_allocation(pool, factor: float) -> None:
    def allocation(scale: float) -> dict[str, Decimal]:
        scaled = [Hold(h.id, h.gpus, h.start, h.started, h.end, h.measured, {q: s * scale for q, s in h.used.items()}) for h in pool[1]]
        lines, _ = charge(Pool(pool[0], 0, HOUR), scaled, [(0, HOUR, D(1))], quarters(HOUR))
        return {line.id: sum(line.hours.values()) for line in lines}

    assert allocation(factor) == allocation(1.0)


@settings(max_examples=100, deadline=None)
@given(ANY, st.floats(0, 1))
def test_more_use_never_costs_the_allocation_more(pool, factor: float) -> None:
    def bought(scale: float) -> dict[str, tuple[Decimal, Decimal]]:
        scaled = [Hold(h.id, h.gpus, h.start, h.started, h.end, h.measured, {q: s * scale for q, s in h.used.items()}) for h in pool[1]]
        lines, _ = charge(Pool(pool[0], 0, HOUR), scaled, [(0, HOUR, D("3.80"))], quarters(HOUR))
        return {line.id: (sum(line.costs.values()), line.hours.get("used", D(0))) for line in lines}

    less, more = bought(factor), bought(1.0)
    assert {id_: cost for id_, (cost, _) in less.items()} == {id_: cost for id_, (cost, _) in more.items()}
    assert all(less[id_][1] <= more[id_][1] + QUANTUM for id_ in less)


@settings(max_examples=100, deadline=None)
@given(ANY.flatmap(lambda pool: st.tuples(st.just(pool), st.permutations(pool[1]))), st.booleans())
def test_the_order_of_holds_does_not_matter(drawn, unproven: bool) -> None:
    (boards, found), mixed = drawn

    def bill_of(each: list[Hold]) -> tuple:
        ends = [replace(h, last_held=max(h.start, h.end - 30)) if unproven else h for h in each]
        return charge(Pool(boards, 0, HOUR), ends, [(0, 1200, D(2)), (1200, HOUR, D(3))], quarters(HOUR))

    assert bill_of(found) == bill_of(mixed)


@settings(max_examples=100, deadline=None)
@given(ANY)
def test_no_pod_above_its_share_and_no_sum_above_the_cards(pool) -> None:
    boards, found = pool
    lines, _ = charge(Pool(boards, 0, HOUR), found, [(0, 1234, D(2)), (1234, HOUR, D(3))], quarters(HOUR))
    for line in lines:
        span = Fraction(line.end - line.start, 3600)
        held = Fraction(sum((line.hours.get(b, D(0)) for b in BUCKETS), D(0)))
        assert held <= boards * span + Fraction(QUANTUM)
        if line.id:
            (lease_,) = [h for h in found if h.id == line.id]
            assert held <= lease_.gpus * Fraction(max(0, min(lease_.end, line.end) - max(lease_.start, line.start)), 3600) + Fraction(QUANTUM)
    by_span = {start: sum((sum(line.hours.values()) for line in lines if line.start == start), D(0)) for start in (0, 1234)}
    assert by_span == {0: (D(boards * 1234) / 3600).quantize(QUANTUM), 1234: boards - (D(boards * 1234) / 3600).quantize(QUANTUM)}


def test_three_spans_of_twenty_minutes_are_one_hour() -> None:
    spans = [(a, a + 1200, D(n)) for n, a in enumerate((0, 1200, 2400))]
    lines, _ = charge(Pool(1, 0, HOUR), [hold("a", 1, 0, HOUR)], spans, quarters(HOUR))
    assert [line.hours["used"] for line in lines] == [D("0.3333333333"), D("0.3333333334"), D("0.3333333333")]


def test_only_as_many_unproven_ends_give_way_as_a_newcomer_needs() -> None:
    quarters = [(q, q + 900) for q in range(0, 3600, 900)]
    old = [Hold(name, Fraction(1), 0, 0, 1830, {}, {}, last_held=1800) for name in ("o1", "o2")]
    lines, excess = charge(Pool(2, 0, 3600), [*old, Hold("new", Fraction(1), 1810, 1810, 3600, {}, {})], [(0, 3600, None)], quarters)
    hours = {line.id: sum(line.hours.values()) for line in lines}
    assert excess == 0
    assert [hours[name] for name in ("o1", "o2", "new")] == [Decimal("0.5027777778"), Decimal("0.5083333333"), Decimal("0.4972222222")]
