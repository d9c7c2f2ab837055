"""What a sample is worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.usage import busy_fraction, cells, frozen, scrape_interval


def arr(*values: float) -> np.ndarray:
    return np.array(values, float)


def test_ratios() -> None:
    got = busy_fraction(arr(0, 0.11, 1, 1.05, 1.06, -0.01, np.nan, np.inf, 1e18), percent=False)
    assert got[:4].tolist() == [0, 0.11, 1, 1]
    assert np.isnan(got[4:]).all()


def test_percentages() -> None:
    got = busy_fraction(arr(0, 50, 100, 100.5, 103, -1, np.nan, -np.inf, 9223372036854775794), percent=True)
    assert got[:4].tolist() == [0, 0.5, 1, 1]
    assert np.isnan(got[4:]).all()


def test_a_sample_speaks_for_what_is_nearer_to_it() -> None:
    begin, until = cells(arr(30, 90, 150), interval=60, start=0, end=180)
    assert begin.tolist() == [0, 60, 120]
    assert until.tolist() == [60, 120, 180]


def test_its_reach_ends_after_one_and_a_half_intervals() -> None:
    begin, until = cells(arr(100, 1000), interval=60, start=0, end=3600)
    assert begin.tolist() == [10, 910]
    assert until.tolist() == [190, 1090]


def test_no_sample_and_one_sample() -> None:
    assert [x.tolist() for x in cells(arr(), interval=60, start=0, end=60)] == [[], []]
    assert [x.tolist() for x in cells(arr(30), interval=60, start=0, end=60)] == [[0], [60]]


def test_the_scrape_interval() -> None:
    assert scrape_interval(arr(0, 30, 60, 90, 500)) == 30
    assert scrape_interval(arr(0, 0, 15, 15, 30)) == 15
    assert scrape_interval(arr(0, 30, 60), configured=10) == 10
    assert scrape_interval(arr(7)) == 60


def test_the_scrape_interval_of_two_that_tell_of_one_thing() -> None:
    """Five seconds apart, each every minute: nobody scrapes every five seconds."""
    one, other = arr(0, 60, 120, 180), arr(5, 65, 125)
    together = np.union1d(one, other)
    assert scrape_interval(together, targets=[one, other]) == 60
    assert scrape_interval(together, configured=30, targets=[one, other]) == 30
    assert scrape_interval(one, targets=[one]) == 60


@pytest.mark.parametrize(("zeros", "util", "stuck"), [(10, 0.20, True), (9, 0.9, False), (10, 0.19, False), (30, 1.0, True)])
def test_frozen_at_zero_beside_a_busy_card(zeros: int, util: float, stuck: bool) -> None:
    profiling = arr(0.5, *[0] * zeros, 0.5)
    time = np.arange(len(profiling)) * 30.0
    got = frozen(profiling, time, np.full(len(time), util), time)
    assert got.tolist() == [False, *[stuck] * zeros, False]


def test_half_of_the_samples_are_not_most() -> None:
    time = np.arange(10) * 30.0
    assert not frozen(np.zeros(10), time, arr(*[0.9, 0.0] * 5), time).any()
    assert not frozen(np.zeros(10), time, arr(), arr()).any()


@given(st.lists(st.integers(0, 7200), unique=True, max_size=60), st.sampled_from([1.0, 15.0, 30.0, 60.0]),
       st.integers(0, 3600), st.integers(1, 3600))  # fmt: skip
def test_cells_never_overlap_nor_reach_too_far(times: list[int], interval: float, start: int, length: int) -> None:
    end = start + length
    time = np.array(sorted(t for t in times if start <= t < end), float)
    begin, until = cells(time, interval=interval, start=start, end=end)
    assert (begin[1:] >= until[:-1]).all()
    assert (begin <= time).all() and (until >= time).all()
    assert (time - begin <= 1.5 * interval).all() and (until - time <= 1.5 * interval).all()
    assert (begin >= start).all() and (until <= end).all()
