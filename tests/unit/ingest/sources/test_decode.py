"""From JSON to columns, and the small algebra of Samples and selectors. Expected numbers are written by hand."""

import gc
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.sources import Samples, SourceError
from ingest.sources.decode import Tally, decode
from ingest.sources.promql import selector


def answer(kind, result, **more):
    return {"status": "success", "data": {"resultType": kind, "result": result}} | more


def test_a_matrix_becomes_columns():
    payload = answer(
        "matrix",
        [
            {"metric": {"__name__": "m", "gpu": "0"}, "values": [[1000, "1"], [1030.5, "2.5"]]},
            {"metric": {"__name__": "m", "gpu": "1"}, "values": [[1000, "7"]]},
        ],
    )
    for given_as in (payload, json.dumps(payload).encode()):
        found = decode(given_as, "matrix")
        assert found.labels == [{"__name__": "m", "gpu": "0"}, {"__name__": "m", "gpu": "1"}]
        assert found.series.tolist() == [0, 0, 1] and found.series.dtype == np.int32
        assert found.time.tolist() == [1000.0, 1030.5, 1000.0] and found.time.dtype == np.float64
        assert found.value.tolist() == [1.0, 2.5, 7.0] and found.value.dtype == np.float64
        assert len(found) == 3


def test_a_vector_and_its_special_values():
    values = ["NaN", "+Inf", "-Inf", "1e3"]
    found = decode(answer("vector", [{"metric": {"i": str(i)}, "value": [5, v]} for i, v in enumerate(values)]), "vector")
    assert math.isnan(found.value[0]) and found.value[1:].tolist() == [math.inf, -math.inf, 1000.0]


def test_empty_and_histograms():
    assert len(decode(answer("matrix", []), "matrix")) == 0
    histogram = {"metric": {"h": "1"}, "histograms": [[1, {"count": "2"}]]}
    plain = {"metric": {"p": "1"}, "values": [[1, "3"]]}
    found = decode(answer("matrix", [histogram, plain]), "matrix")
    assert found.labels == [{"p": "1"}] and found.value.tolist() == [3.0]
    assert len(decode(answer("vector", [{"metric": {}, "histogram": [1, {}]}]), "vector")) == 0


def test_series_and_histograms_are_counted():
    mixed = {"metric": {"m": "1"}, "values": [[1, "3"]], "histograms": [[2, {"count": "2"}]]}
    only = {"metric": {"h": "1"}, "histograms": [[1, {"count": "2"}]]}
    tally = Tally()
    decode(answer("matrix", [mixed, only, {"metric": {}, "values": [[1, "3"]]}]), "matrix", tally=tally)
    assert (tally.series, tally.histograms) == (3, 2)


def test_equal_label_sets_become_one_series_with_all_samples():
    twice = [
        {"metric": {"a": "1", "b": "2"}, "values": [[1, "3"]]},
        {"metric": {"b": "2", "a": "1"}, "values": [[1, "4"]]},
    ]
    found = decode(answer("matrix", twice), "matrix")
    assert found.labels == [{"a": "1", "b": "2"}] and found.series.tolist() == [0, 0] and found.value.tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "point",
    [
        [1],
        [1, "2", 3],
        [1, 2],
        [1, None],
        ["1", "2"],
        [None, "2"],
        [1, "two"],
        [1, ""],
        [1, "1_0"],
        "12",
        {"a": 1, "b": 2},
        5,
        None,
        [],
        [1e999, "1"],
    ],
)
def test_malformed_points_are_one_clear_line(point):
    series = [{"metric": {}, "values": [[1, "2"], point, [3, "4"]]}]
    with pytest.raises(SourceError, match="^malformed point: ") as caught:
        decode(answer("matrix", series), "matrix")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "payload",
    [
        None, [], 5, {}, {"status": "error", "error": "x"}, {"status": "success"}, {"status": "success", "data": []},
        answer("vector", []), answer("scalar", [1, "1"]), answer("matrix", {}), answer("matrix", [5]),
        answer("matrix", [{"metric": {}}]), answer("matrix", [{"metric": 5, "values": [[1, "1"]]}]),
        answer("matrix", [{"metric": {"a": 5}, "values": [[1, "1"]]}]), answer("matrix", [{"metric": {}, "values": 5}]),
        answer("matrix", [], warnings=["a store is down"]), answer("matrix", [], isPartial=True),
    ],
)  # fmt: skip
def test_wrong_shapes_are_refused(payload):
    with pytest.raises(SourceError):
        decode(json.dumps(payload).encode(), "matrix")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"status": NaN}', b"<html>login</html>", b"9" * 10_000])
def test_what_is_not_json_is_refused(body):
    with pytest.raises(SourceError):
        decode(body, "matrix")
    assert gc.isenabled()


def test_infos_are_allowed():
    assert len(decode(answer("matrix", [], infos=["a hint"], warnings=[], isPartial=False), "matrix")) == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5) | st.sampled_from(["success", "matrix", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["metric", "values", "histograms", "x"]), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(st.lists(JSON, max_size=3))
def test_whatever_comes_gives_samples_or_a_source_error(result):
    try:
        found = decode(json.dumps(answer("matrix", result)).encode(), "matrix")
    except SourceError:
        return
    assert len(found.series) == len(found.time) == len(found.value)


def samples(*rows):
    """From (gpu, time, value)."""
    return Samples.concat(
        [Samples([{"gpu": gpu}], np.zeros(1, np.int32), np.array([time]), np.array([value])) for gpu, time, value in rows]
    )


def test_between_keeps_the_start_and_not_the_end():
    found = samples(("a", 10.0, 1.0), ("b", 20.0, 2.0), ("c", 30.0, 3.0), ("b", 29.999, 4.0)).between(20.0, 30.0)
    assert found.labels == [{"gpu": "b"}] and found.series.tolist() == [0, 0] and found.value.tolist() == [2.0, 4.0]
    assert found.series.dtype == np.int32


def test_concat_merges_equal_labels():
    found = Samples.concat([samples(("a", 1.0, 1.0), ("b", 1.0, 2.0)), Samples.empty(), samples(("b", 2.0, 3.0), ("c", 2.0, 4.0))])
    assert found.labels == [{"gpu": "a"}, {"gpu": "b"}, {"gpu": "c"}]
    assert found.series.tolist() == [0, 1, 1, 2] and found.value.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert len(Samples.concat([])) == 0 and found.series.dtype == np.int32


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 100), st.floats(-9, 9))), st.floats(0, 100))
def test_a_cut_loses_and_doubles_nothing(rows, edge):
    whole = samples(*rows)
    parts = Samples.concat([whole.between(-1, edge), whole.between(edge, 101)])
    assert listed(whole) == listed(parts)


def listed(found):
    return sorted((found.labels[i]["gpu"], t, v) for i, t, v in zip(found.series, found.time, found.value, strict=True))


def test_selectors():
    assert selector(["up"]) == "up"
    assert selector(["up"], match={"cluster": "a"}) == 'up{cluster="a"}'
    assert selector(["a", "b:c"], extra=[("pod", "!=", "")]) == '{__name__=~"a|b:c",pod!=""}'
    assert selector(["m"], match={"ns": "x'} or m{ns=~'.*"}) == "m{ns=\"x'} or m{ns=~'.*\"}"
    assert selector(["m"], match={"ns": 'a"b\\c\nd'}) == r'm{ns="a\"b\\c\nd"}'


@pytest.mark.parametrize(
    "names, match, extra",
    [
        ([], {}, ()), ("up", {}, ()), (["a b"], {}, ()), (["a", "b|c"], {}, ()), (["a\n"], {}, ()),
        (["a"], {"x-y": "1"}, ()),
        (["a"], {"a:b": "1"}, ()), (["a"], {'x="1",y': "1"}, ()), (["a"], {}, [("x", "==", "1")]),
        (["a"], {"x": "\ud800"}, ()),
    ],
)  # fmt: skip
def test_selectors_refuse_what_promql_cannot_hold(names, match, extra):
    with pytest.raises(ValueError):
        selector(names, match=match, extra=extra)


def test_what_no_database_holds_is_replaced_in_labels():
    got = decode(answer("vector", [{"metric": {"annotation_a": "x\0y", "annotation_b": "\ud800", "c": "ü"}, "value": [1, "2"]}]), "vector")
    assert got.labels == [{"annotation_a": "x\ufffdy", "annotation_b": "?", "c": "ü"}]
