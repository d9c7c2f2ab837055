"""Work in several processes."""

import os
import time

import pytest

from ingest.simulator.side_by_side import each

pytestmark = pytest.mark.django_db(transaction=True)


def square(n: int) -> tuple[int, int]:
    time.sleep(0.02)
    if n == 99:
        raise ValueError("ninety-nine")
    return n * n, os.getpid()


def test_every_part_once_in_two_processes() -> None:
    found = list(each(square, [1, 2, 3, 4, 5], processes=2))
    assert sorted(n for n, _ in found) == [1, 4, 9, 16, 25]
    assert len({pid for _, pid in found}) == 2 and os.getpid() not in {pid for _, pid in found}


def test_one_part_stays_here() -> None:
    assert list(each(square, [7], processes=2)) == [(49, os.getpid())]


def test_an_error_comes_back_and_the_others_are_ended() -> None:
    with pytest.raises(ValueError, match="ninety-nine"):
        list(each(square, [99, 1, 2, 3], processes=2))


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(RuntimeError, match="without a word"):
        list(each(os._exit, [1, 1], processes=2))
