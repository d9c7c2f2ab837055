"""capacity = used + idle + starting + unmeasured + unallocated: one bar, and its figures as printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reports.templatetags.figures import HOURS, MONEY, Number, apportioned

BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")


@dataclass(frozen=True)
class Part:
    """`x` and `width` are per cent of the bar, as SVG takes them."""

    bucket: str
    hours: Decimal | None
    money: Decimal | None
    share: Decimal | None
    x: str
    width: str


def parts_of(row) -> list[Part]:
    """Hours, money and shares, each rounded once so that they add up to their printed whole."""
    sizes = [getattr(row, f"{bucket}_gpu_hours") for bucket in BUCKETS]
    capacity = row.capacity_gpu_hours
    hours = apportioned(sizes, capacity, HOURS)
    moneys = apportioned([getattr(row, f"{bucket}_cost") for bucket in BUCKETS], row.cost, MONEY)
    shares = _shares(sizes, capacity)
    return [Part(*part) for part in zip(BUCKETS, hours, moneys, shares, *_places(sizes, least=0.45), strict=True)]


def idle_money(parts: Sequence[Part]) -> Decimal | None:
    """As printed in the identity: rounded alone it could differ by a cent."""
    return next(part.money for part in parts if part.bucket == "idle")


def bar_of(row) -> list[Part]:
    """The small bar of a table row: allocated hours only."""
    sizes = [getattr(row, f"{bucket}_gpu_hours") for bucket in BUCKETS[:-1]]
    nothing = [None] * len(sizes)
    places = _places(sizes, least=1.6)
    return [Part(*part) for part in zip(BUCKETS[:-1], nothing, nothing, nothing, *places, strict=True)]


def _shares(sizes: Sequence[Number], capacity: Number) -> list[Decimal | None]:
    """As ratios of three decimals, so that the per cents add up to 100.0."""
    if not capacity:
        return [None] * len(sizes)
    return apportioned([None if size is None else size / capacity for size in sizes], 1, 3)


def _places(sizes: Sequence[Number], *, least: float) -> tuple[list[str], list[str]]:
    """Left edges and widths; a part that is not zero is at least `least` per cent wide, at the others' expense."""
    known = [max(float(size or 0), 0.0) for size in sizes]
    total = sum(known) or 1.0
    widths = [max(100 * size / total, least) if size else 0.0 for size in known]
    scale = 100 / (sum(widths) or 100)
    widths = [width * scale for width in widths]
    edges = [sum(widths[:i]) for i in range(len(widths))]
    return [f"{edge:.3f}%" for edge in edges], [f"{width:.3f}%" for width in widths]
