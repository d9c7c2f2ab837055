"""When a pod ran and nobody measured it."""

from decimal import Decimal

from finops.job.explanation import Gap
from finops.job.gaps import gaps
from finops.job.lines import Line
from tests.unit.finops.job.told import row

HOUR = 3600


def line(hour: int, unmeasured: str, *, until: int | None = None) -> Line:
    return Line(hour * HOUR, hour * HOUR, until or (hour + 1) * HOUR, None, {}, {}, row(unmeasured=unmeasured))


def test_hours_that_follow_one_another_are_one_gap() -> None:
    """Hours 1 and 2 (two lines: a price changed) are one, hour 4 another; hours 0 and 3 are measured."""
    lines = [line(0, "0"), line(1, "0.5"), line(2, "0.25"), line(2, "0.5"), line(3, "0"), line(4, "1", until=4 * HOUR + 60)]
    assert gaps(lines) == [Gap(HOUR, 3 * HOUR, Decimal("1.25")), Gap(4 * HOUR, 4 * HOUR + 60, Decimal(1))]


def test_none() -> None:
    assert gaps([line(0, "0")]) == []
