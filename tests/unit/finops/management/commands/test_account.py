"""The line of progress."""

from decimal import Decimal

from finops.management.commands.account import bar
from finops.recompute import Sum


def test_the_bar_tells_how_far_how_fast_and_how_long_still() -> None:
    """186 of 744 hours in 60 s, a quarter: 7 of 30 marks, 180 s to go; 18,600 GPU-hours in 60 s are 310 per second."""
    text = bar(Sum(hours=186, gpu_hours=Decimal(18_600), seen=186), 744, 60.0)
    assert text.rstrip() == "[#######.......................] 186 of 744 hours, 310 hours × GPUs per second, 3 min left"


def test_less_than_a_minute_and_a_half_is_told_in_seconds() -> None:
    assert bar(Sum(hours=186, gpu_hours=Decimal(18_600), seen=186), 744, 15.0).rstrip().endswith(", 45 s left")


def test_each_line_covers_the_one_before() -> None:
    long, short = (bar(Sum(gpu_hours=Decimal(n), seen=seen), 8760, 10.0) for n, seen in ((10_000_000, 1), (10, 8760)))
    assert len(long) == len(short) == 110
