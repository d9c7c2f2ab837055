"""A lease cut where what is said of it changes: in each piece it is one team's."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from finops.accounting.charge import Hold, Span


def pieces(hold: Hold, cuts: Iterable[int]) -> list[Hold]:
    """`hold` cut at those of `cuts` (unix seconds) that fall inside it; its ids are numbered from the second piece on.

    Measured and used time of a quarter that a cut divides is divided by the time each piece ran in it.
    """
    edges = [hold.start, *sorted({cut for cut in cuts if hold.start < cut < hold.end}), hold.end]
    if len(edges) == 2:
        return [hold]
    return [_piece(hold, n, a, b) for n, (a, b) in enumerate(zip(edges, edges[1:], strict=False))]


def _piece(hold: Hold, number: int, start: int, end: int) -> Hold:
    parts = {quarter: _part(hold, quarter, start, end) for quarter in hold.measured.keys() | hold.used.keys()}
    return replace(
        hold,
        id=f"{hold.id} {number}" if number else hold.id,
        start=start,
        started=min(max(hold.started, start), end),
        end=end,
        measured={q: seconds * parts[q] for q, seconds in hold.measured.items() if parts[q]},
        used={q: seconds * parts[q] for q, seconds in hold.used.items() if parts[q]},
        last_held=hold.last_held if end == hold.end else None,
    )


def _part(hold: Hold, quarter: Span, start: int, end: int) -> float:
    """The part of the lease's running time in `quarter` that falls into [start, end)."""
    begin, until = max(hold.started, quarter[0]), min(hold.end, quarter[1])
    inside = min(until, end) - max(begin, start)
    return float(Fraction(inside, until - begin)) if inside > 0 else 0.0
