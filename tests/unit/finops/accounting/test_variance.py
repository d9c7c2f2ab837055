"""A cost's change in two parts; every figure worked by hand."""

from decimal import Decimal as D

from finops.accounting.variance import Moved, moved


def test_more_hours_at_one_price() -> None:
    assert moved({"a100": (D(10), D(20))}, {"a100": (D(15), D(30))}) == Moved(D(10), D(0))


def test_a_dearer_price_for_the_same_hours() -> None:
    assert moved({"a100": (D(10), D(20))}, {"a100": (D(10), D(25))}) == Moved(D(0), D(5))


def test_both_at_once() -> None:
    """10 h at 2 become 12 h at 3: two hours more at the old price are 4, twelve hours one dearer are 12."""
    assert moved({"a100": (D(10), D(20))}, {"a100": (D(12), D(36))}) == Moved(D(4), D(12))


def test_a_move_to_a_cheaper_pool_is_hours_not_price() -> None:
    assert moved({"a100": (D(10), D(30))}, {"t4": (D(10), D(6))}) == Moved(D(-24), D(0))


def test_thirds_still_add_up() -> None:
    parts = moved({"a100": (D(3), D(10))}, {"a100": (D(1), D(5))})
    assert parts == Moved(D("-6.6666666667"), D("1.6666666667"))


def test_nothing_moved() -> None:
    assert moved({}, {}) == Moved(D(0), D(0))
