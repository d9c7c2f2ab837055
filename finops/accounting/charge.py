"""One hour of one pool of equal GPUs on a node: who held what, used how much of it, and what that cost."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from finops.accounting.money import EXACT, split, stored

BUCKETS = ("used", "idle", "starting", "unmeasured")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hold:
    """A lease of `gpus` on the pool; unix seconds. `measured`, `used`: GPU-seconds per span of `quarters`.

    `last_held` is set where the end has no timestamp: after it the lease gives way to a newcomer.
    """

    id: str
    gpus: Fraction
    start: int
    started: int
    end: int
    measured: dict[Span, float]
    used: dict[Span, float]
    last_held: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """GPU-hours and money of one lease (or, with id "", of nobody) over [start, end); money None is unpriced."""

    id: str
    start: int
    end: int
    price: Decimal | None
    hours: dict[str, Decimal]
    costs: dict[str, Decimal] | None


@dataclass(frozen=True, slots=True)
class Pool:
    """`boards` GPUs of one model that existed over [start, end)."""

    boards: int
    start: int
    end: int


def charge(
    pool: Pool, holds: Sequence[Hold], prices: Sequence[tuple[int, int, Decimal | None]], quarters: Sequence[Span]
) -> tuple[list[Line], Fraction]:
    """The lines of the pool, and the GPU-seconds by which leases exceeded it.

    `prices` cover [pool.start, pool.end). Lines add up to the pool's hours and money to the last digit.
    """
    holds = _give_way(pool, holds)
    lines: list[Line] = []
    excess = Fraction(0)
    for start, end, price in prices:
        seconds, over = _seconds(pool, holds, quarters, start, end)
        excess += over
        lines += _lines(pool, seconds, start, end, price)
    return lines, excess


def _give_way(pool: Pool, holds: Sequence[Hold]) -> list[Hold]:
    """Ends that no timestamp tells are cut at the start of a newcomer that would not fit beside them, longest unseen first."""
    kept = sorted(holds, key=lambda h: (h.last_held or 0.0, h.start, h.id))
    for newcomer in sorted(holds, key=lambda h: (h.start, h.id)):
        at = newcomer.start
        for place, hold in enumerate(kept):
            unproven = hold.last_held is not None and hold.last_held < at < hold.end
            if unproven and sum(h.gpus for h in kept if h.start <= at < h.end) > pool.boards:
                kept[place] = replace(hold, end=at, started=min(hold.started, at))
    return kept


Seconds = dict[str, dict[str, Fraction]]


def _seconds(pool: Pool, holds: Sequence[Hold], quarters: Sequence[Span], start: int, end: int) -> tuple[Seconds, Fraction]:
    """GPU-seconds by lease and bucket over [start, end)."""
    found: dict[str, dict[str, Fraction]] = defaultdict(lambda: dict.fromkeys(BUCKETS, Fraction(0)))
    edges = {start, end, *(t for q in quarters for t in q), *(t for h in holds for t in (h.start, h.started, h.end))}
    cuts = sorted(t for t in edges if start <= t <= end)
    starts = {id(h): _started_by_quarter(h, quarters) for h in holds}
    excess = Fraction(0)
    for a, b in zip(cuts, cuts[1:], strict=False):
        present = [h for h in holds if h.start <= a < h.end]
        asked = sum((h.gpus for h in present), Fraction(0))
        scale = min(Fraction(1), pool.boards / asked) if asked else Fraction(1)
        excess += max(Fraction(0), asked - pool.boards) * (b - a)
        quarter = next(q for q in quarters if q[0] <= a < q[1])
        for hold in present:
            amount = hold.gpus * (b - a) * scale
            _book(found[hold.id], hold, amount, a, quarter, starts[id(hold)].get(quarter, Fraction(0)))
    return found, excess


def _book(into: dict[str, Fraction], hold: Hold, amount: Fraction, at: int, quarter: Span, started: Fraction) -> None:
    if at < hold.started:
        into["starting"] += amount
        return
    measured = min(_micro(hold.measured.get(quarter, 0.0)) / started, Fraction(1)) if started else Fraction(0)
    used = min(_micro(hold.used.get(quarter, 0.0)) / started, measured) if started else Fraction(0)
    into["used"] += amount * used
    into["idle"] += amount * (measured - used)
    into["unmeasured"] += amount * (1 - measured)


def _started_by_quarter(hold: Hold, quarters: Sequence[Span]) -> dict[Span, Fraction]:
    """To the microsecond like what was measured of it: a seventh of a quarter that was measured throughout leaves nothing over."""
    return {q: _micro(hold.gpus * max(0, min(hold.end, q[1]) - max(hold.started, q[0]))) for q in quarters}


def _micro(seconds: float | Fraction) -> Fraction:
    """Time to the microsecond: below that it is noise of floating point."""
    return Fraction(round(seconds * 1_000_000), 1_000_000)


def _hours(seconds: Fraction) -> Decimal:
    return EXACT.divide(Decimal(seconds.numerator), Decimal(seconds.denominator * 3600))


def _lines(pool: Pool, seconds: dict[str, dict[str, Fraction]], start: int, end: int, price: Decimal | None) -> list[Line]:
    held = sum((sum(parts.values()) for parts in seconds.values()), Fraction(0))
    whole = Fraction(pool.boards * (end - start))
    # Each span takes what is left of the rounded sum so far: any number of cuts adds up to the pool uncut.
    before, after = (stored(_hours(Fraction(pool.boards * (t - pool.start)))) for t in (start, end))
    found = [(id_, parts) for id_, parts in sorted(seconds.items())] + [("", {"unallocated": whole - held})]
    hours = split(after - before, [_hours(sum(parts.values(), Fraction(0))) for _, parts in found])
    costs = split(stored((after - before) * price), [h * price for h in hours]) if price is not None else hours
    lines = [_line(id_, parts, start, end, price, h, cost) for (id_, parts), h, cost in zip(found, hours, costs, strict=True)]
    return [line for line in lines if any(line.hours.values())]


def _line(
    id_: str, seconds: dict[str, Fraction], start: int, end: int, price: Decimal | None, total: Decimal, cost: Decimal
) -> Line:
    """What a lease holds and costs is rounded first, then its buckets: its use never moves its allocation."""
    hours = dict(zip(seconds, split(total, [_hours(amount) for amount in seconds.values()]), strict=True))
    if price is None:
        return Line(id_, start, end, price, hours, None)
    return Line(id_, start, end, price, hours, dict(zip(hours, split(cost, [h * price for h in hours.values()]), strict=True)))
