"""Parts handed out to processes."""

import os
import signal
import time
from collections import deque

from finops.processes import Died, each


def square(n: int) -> tuple[int, int]:
    if n < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    if n == 99:
        os._exit(3)
    time.sleep(0.02)
    return n * n, os.getpid()


def test_every_part_once_in_two_processes() -> None:
    found = list(each(square, deque([1, 2, 3, 4, 5]), processes=2))
    assert sorted((part, result[0]) for part, result in found) == [(1, 1), (2, 4), (3, 9), (4, 16), (5, 25)]
    assert len({pid for _, (_, pid) in found}) == 2 and os.getpid() not in {pid for _, (_, pid) in found}


def test_one_process_is_this_one() -> None:
    assert list(each(square, deque([7, 8]), processes=1)) == [(7, (49, os.getpid())), (8, (64, os.getpid()))]


def test_what_a_process_died_over_comes_back_and_the_others_go_on() -> None:
    found = dict(each(square, deque([-1, 1, 99, 2, -2, 3]), processes=2))
    assert [found[n] for n in (-1, -2, 99)] == [Died(-9), Died(-9), Died(3)]
    assert [found[n][0] for n in (1, 2, 3)] == [1, 4, 9]


def test_parts_may_be_added_while_others_are_at_work() -> None:
    parts, seen = deque([1]), []
    for part, _ in each(square, parts, processes=2):
        seen.append(part)
        if part < 4:
            parts.append(part + 1)
    assert seen == [1, 2, 3, 4]


def test_who_stops_listening_ends_the_processes() -> None:
    results = each(square, deque([1, 2, 3, 4]), processes=2)
    _, (_, pid) = next(results)
    results.close()
    try:
        os.kill(pid, 0)
        raise AssertionError("it lives")
    except ProcessLookupError:
        pass
