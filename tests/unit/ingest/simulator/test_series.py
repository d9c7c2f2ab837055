"""Series as samples."""

import numpy as np

from ingest.simulator.series import Span, Track, from_spans, from_tracks, grid, joined

A, B = {"__name__": "a"}, {"__name__": "b"}


def test_a_grid_is_the_same_however_time_is_cut() -> None:
    assert grid(0, 200, offset=15).tolist() == [15, 75, 135, 195]
    assert grid(75, 135, offset=15).tolist() == [75]
    assert grid(76, 135, offset=15).tolist() == []


def test_spans_are_seen_from_their_start_to_before_their_end() -> None:
    found = from_spans([Span(A, 10, 20, 1), Span(B, 0, 99, 7), Span(A, 20, 30, 2)], np.array([10.0, 20.0]))
    seen = sorted((found.labels[s]["__name__"], t, v) for s, t, v in zip(found.series, found.time, found.value, strict=True))
    assert seen == [("a", 10, 1), ("a", 20, 2), ("b", 10, 7), ("b", 20, 7)]
    assert len(found.labels) == 2


def test_a_series_that_no_scrape_saw_is_not_there() -> None:
    assert from_spans([Span(A, 11, 19, 1), Span(B, 0, 99, 7)], np.array([10.0, 20.0])).labels == [B]


def test_joined_keeps_every_sample_of_its_own_series() -> None:
    found = joined(
        [from_tracks([Track(A, np.array([1.0, 2.0]), np.array([5.0, 6.0]))]), from_tracks([Track(B, np.array([3.0]), np.array([7.0]))])]
    )
    assert [(found.labels[s]["__name__"], v) for s, v in zip(found.series, found.value, strict=True)] == [("a", 5), ("a", 6), ("b", 7)]
