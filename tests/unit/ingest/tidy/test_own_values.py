"""Which values per pod are its own."""

import numpy as np

from ingest.tidy.own_values import own_values

A, B = ("ml", "a"), ("ml", "b")


def row(*values: float, every: float = 60.0) -> list:
    return [(np.arange(len(values)) * every, np.array(values, float))]


def test_the_board_needs_a_row_of_its_own_and_two_pods() -> None:
    assert not own_values({A: row(40, 40), B: row(40, 40)})
    assert not own_values({None: row(40, 40), A: row(40, 40)})
    assert not own_values({None: [], A: row(40), B: row(40)})


def test_instants_at_which_the_parts_make_up_the_board() -> None:
    # Half, one and a half, a little less, a little more, an idle board.
    own = own_values({None: row(40, 40, 40, 40, 0), A: row(10, 30, 10, 40, 0), B: row(10, 30, 9, 21, 0)})
    assert own.time.tolist() == [0, 60]
    assert (own.of[A].tolist(), own.of[B].tolist()) == ([0.1, 0.3], [0.1, 0.3])


def test_the_nearest_value_within_reach() -> None:
    own = own_values({None: row(40, 40), A: row(30, 20), B: row(10)})
    got = own.at([A, B, ("ml", "c")], np.array([-100.0, -50.0, 29.0, 31.0, 140.0, 151.0]), reach=90)
    np.testing.assert_array_equal(got[0], [np.nan, 0.3, 0.3, 0.2, 0.2, np.nan])
    np.testing.assert_array_equal(got[1], [np.nan, 0.1, 0.1, np.nan, np.nan, np.nan])
    assert np.isnan(got[2]).all()


def test_one_instant_alone() -> None:
    own = own_values({None: row(40), A: row(30), B: row(10)})
    np.testing.assert_array_equal(own.at([A], np.array([-90.0, 0.0, 90.0, 91.0]), reach=90), [[0.3, 0.3, 0.3, np.nan]])
