"""Samples in memory answer as Prometheus would."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.catalogue import Query
from ingest.sources import Samples
from ingest.sources.held import Held

NAN = float("nan")
LABELS = [{"__name__": "a", "x": "1"}, {"__name__": "a", "x": "2"}, {"__name__": "b", "x": "1"}]
ROWS = [(0, 0.0, 1.0), (0, 60.0, 5.0), (0, 120.0, 2.0), (1, 60.0, 7.0), (2, 60.0, 9.0), (0, 180.0, 2.0)]
QUERY = Query("k", ("a",), "")


def load(start: float, end: float) -> Samples:
    rows = [row for row in ROWS if start <= row[1] < end]
    series, time, value = (np.array(column) for column in zip(*rows, strict=True)) if rows else (np.empty(0),) * 3
    return Samples(LABELS, series.astype(np.int32), time, value)


def answer(query: Query, **window) -> dict[str, list[tuple[float, float]]]:
    source = Held(load).during(0.0, 600.0)
    got = source.samples(query, **window) if "start" in window else source.reduced(query, **window)
    found: dict[str, list[tuple[float, float]]] = {}
    for series, time, value in zip(got.series, got.time, got.value, strict=True):
        found.setdefault(got.labels[series]["x"], []).append((time, value))
    return found


def test_raw_samples_are_half_open() -> None:
    assert answer(QUERY, start=60.0, end=180.0) == {"1": [(60.0, 5.0), (120.0, 2.0)], "2": [(60.0, 7.0)]}


@pytest.mark.parametrize(
    ("over", "one", "two"),
    [("max_over_time", 5.0, 7.0), ("min_over_time", 1.0, 7.0), ("last_over_time", 2.0, 7.0), ("avg_over_time", 8 / 3, 7.0), ("changes", 2.0, 0.0)],
)
def test_reduced(over: str, one: float, two: float) -> None:
    assert answer(replace(QUERY, over=over), ends=[180.0], seconds=180.0) == {"1": [(180.0, one)], "2": [(180.0, two)]}


def test_each_end_looks_back_its_own_seconds() -> None:
    got = answer(replace(QUERY, over="max_over_time"), ends=[60.0, 120.0, 180.0, 240.0], seconds=60.0)
    assert got == {"1": [(60.0, 1.0), (120.0, 5.0), (180.0, 2.0), (240.0, 2.0)], "2": [(120.0, 7.0)]}


def test_above_keeps_larger_values_only() -> None:
    assert answer(replace(QUERY, over="max_over_time", above=5), ends=[180.0], seconds=180.0) == {"2": [(180.0, 7.0)]}


@pytest.mark.parametrize(("stray", "kept"), [(6.0, {"2"}), (4.0, {"1", "2"}), (9.0, set())])
def test_stray_keeps_what_left_the_range_at_some_time(stray: float, kept: set[str]) -> None:
    assert set(answer(replace(QUERY, over="max_over_time", stray=stray), ends=[180.0], seconds=180.0)) == kept


def test_a_negative_value_is_a_stray(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "ROWS", [(0, 0.0, 1.0), (0, 60.0, -0.5), (1, 60.0, 1.0)])
    assert answer(replace(QUERY, over="max_over_time", stray=5.0), ends=[180.0], seconds=180.0) == {"1": [(180.0, 1.0)]}


@pytest.mark.parametrize(
    ("matcher", "kept"),
    [(("x", "=", "1"), {"1"}), (("x", "!=", "1"), {"2"}), (("x", "=~", "1|3"), {"1"}), (("x", "!~", "1.*"), {"2"}), (("y", "=", ""), {"1", "2"}),
     (("x", "=~", "."), {"1", "2"}), (("x", "=~", ""), set())],
)  # fmt: skip
def test_matchers_match_whole_values(matcher: tuple[str, str, str], kept: set[str]) -> None:
    assert set(answer(replace(QUERY, extra=(matcher,)), start=0.0, end=600.0)) == kept


def test_nan_is_left_aside_by_extremes_and_is_no_change_to_itself(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "ROWS", [(0, 0.0, NAN), (0, 60.0, 3.0), (0, 120.0, NAN), (0, 130.0, NAN)])
    assert answer(replace(QUERY, over="max_over_time"), ends=[180.0], seconds=180.0) == {"1": [(180.0, 3.0)]}
    assert answer(replace(QUERY, over="changes"), ends=[180.0], seconds=180.0) == {"1": [(180.0, 2.0)]}
