"""Everything restarted in random order, again and again: tests/bench/chaos.py does it for as long as one likes."""

import random

from tests.integration.faults.disturbance import Round


def test_in_random_order(servers, stage, undisturbed) -> None:
    one = Round(stage, servers, random.Random(20261025))
    try:
        one.disturb(8)
        one.finish(undisturbed)
    finally:
        one.end()
