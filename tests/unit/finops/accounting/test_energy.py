"""Energy of a pool, once per board."""

from fractions import Fraction

import pytest

from finops.accounting.charge import Hold, Pool
from finops.accounting.energy import energy

QUARTERS = [(q, q + 900) for q in range(0, 3600, 900)]
HOUR, WHOLE = Pool(2, 0, 3600), [(0, 3600)]


def hold(id_: str, gpus: int | Fraction = 1, start: int = 0, end: int = 3600) -> Hold:
    return Hold(id_, Fraction(gpus), start, start, end, {}, {})


def joules(watts: float, *quarters: int) -> dict[tuple[int, int], float]:
    return {QUARTERS[q]: watts * 900 for q in quarters or range(4)}


def test_a_held_and_a_free_board() -> None:
    found = energy(HOUR, {"a": [hold("a")]}, WHOLE, held={"a": joules(400)}, rest=joules(100))
    assert found == pytest.approx({("a", 0): 0.4, ("", 0): 0.1})


def test_a_price_change_divides_it_by_time() -> None:
    found = energy(Pool(1, 0, 3600), {"a": [hold("a")]}, [(0, 900), (900, 3600)], held={"a": joules(400)}, rest={})
    assert found == pytest.approx({("a", 0): 0.1, ("a", 900): 0.3})


def test_pieces_divide_it_by_time() -> None:
    found = energy(Pool(1, 0, 3600), {"a": [hold("a", end=1200), hold("a 1", start=1200)]}, WHOLE, held={"a": joules(300)}, rest={})
    assert found == pytest.approx({("a", 0): 0.1, ("a 1", 0): 0.2})


def test_what_no_device_tells_goes_by_gpu_seconds() -> None:
    pool = Pool(4, 0, 3600)
    found = energy(pool, {"a": [hold("a")], "b": [hold("b", 2)]}, WHOLE, held={"a": joules(400)}, rest=joules(900))
    assert found == pytest.approx({("a", 0): 0.4, ("b", 0): 0.6, ("", 0): 0.3})


def test_a_wholly_held_pool_takes_the_rest_itself() -> None:
    found = energy(Pool(1, 0, 3600), {"a": [hold("a")]}, WHOLE, held={"a": joules(400)}, rest=joules(4))
    assert found == pytest.approx({("a", 0): 0.404})


def test_joules_of_a_lease_that_is_not_there_stay_in_the_pool() -> None:
    found = energy(Pool(1, 0, 3600), {}, WHOLE, held={"gone": joules(400)}, rest={})
    assert found == pytest.approx({("", 0): 0.4})


def test_no_power_is_no_energy() -> None:
    assert energy(HOUR, {"a": [hold("a")]}, WHOLE, held={}, rest={}) == {}
