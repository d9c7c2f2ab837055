"""Leases on a node with several models."""

from fractions import Fraction

from finops.accounting.placement import Want, placement

ONE = Fraction(1)
BOTH = {"A100": 1, "T4": 1}


def want(lease: str, gpus: int = 1, start: int = 0, end: int = 3600, **seen: float) -> Want:
    return Want(lease, Fraction(gpus), start, end, seen)


def test_one_model_needs_no_device() -> None:
    assert placement([want("a")], {"A100": 8}) == ({"a": {"A100": ONE}}, set())


def test_devices_tell() -> None:
    assert placement([want("a", T4=1.0)], BOTH) == ({"a": {"T4": ONE}}, set())
    parts, _ = placement([want("a", 4, A100=3.0, T4=1.0)], {"A100": 4, "T4": 4})
    assert parts == {"a": {"A100": Fraction(3, 4), "T4": Fraction(1, 4)}}


def test_without_devices_it_takes_the_model_with_room() -> None:
    assert placement([want("a"), want("b", A100=1.0)], BOTH) == ({"a": {"T4": ONE}, "b": {"A100": ONE}}, set())


def test_a_board_that_was_free_by_then_has_room() -> None:
    parts, unplaced = placement([want("old", end=1800, A100=1.0), want("new", start=1800), want("t", T4=1.0)], BOTH)
    assert (parts["new"], unplaced) == ({"A100": ONE}, set())


def test_no_room_on_one_model_is_told_and_fills_several() -> None:
    assert placement([want("a", 3)], {"A100": 2, "T4": 2}) == ({"a": {"A100": Fraction(2, 3), "T4": Fraction(1, 3)}}, {"a"})
    assert placement([want("a", 4)], BOTH) == ({"a": {"A100": Fraction(3, 4), "T4": Fraction(1, 4)}}, {"a"})
    parts, unplaced = placement([want("a", 2, A100=1.0, T4=1.0), want("b")], BOTH)
    assert (parts["b"], unplaced) == ({"A100": ONE}, {"b"})


def test_a_model_the_node_no_longer_has_tells_nothing() -> None:
    assert placement([want("a", V100=1.0)], BOTH) == ({"a": {"A100": ONE}}, set())
