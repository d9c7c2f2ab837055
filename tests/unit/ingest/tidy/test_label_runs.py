"""Label sets that follow one another, overlap, linger or differ from the first."""

import numpy as np
import pytest

from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.label_runs import Run, at, cuts, label_runs, raw, several

MINUTE = 60.0


def samples(*series: tuple[dict[str, str], list[float]]) -> Samples:
    index = [i for i, (_, times) in enumerate(series) for _ in times]
    times = [t for _, each in series for t in each]
    return Samples([labels for labels, _ in series], np.array(index, np.int32), np.array(times, float), np.ones(len(times)))


def pod(team: str = "", **more: str) -> dict[str, str]:
    return {"uid": "u1", **({"label_team": team} if team else {}), **more}


def every(first: float, after: float, *, offset: float = 0.0) -> list[float]:
    return [m * MINUTE + offset for m in range(round(first), round(after))]


def runs(*series: tuple[dict[str, str], list[float]], reduced: Samples | None = None) -> list[tuple[float | None, str]]:
    answers = Answers(0, 3600, {raw("pod_labels"): samples(*series)} | ({"pod_labels": reduced} if reduced else {}))
    found = label_runs(answers, "pod_labels", lambda labels: labels["uid"], configured=None)
    return [(run.since, run.labels.get("team", "")) for run in found["u1"]]


def test_one_reduced_set_is_from_before() -> None:
    assert runs(reduced=samples((pod("a"), [4200]))) == [(None, "a")]


def test_a_change_counts_from_the_first_sample_of_the_new_set() -> None:
    assert runs((pod("a"), every(-10, 20)), (pod("b"), every(20, 70))) == [(None, "a"), (1200, "b")]


def test_a_set_that_lingers_gives_way() -> None:
    assert runs((pod("a"), every(-10, 25)), (pod("b"), every(20, 70))) == [(None, "a"), (1200, "b")]
    assert runs((pod("a"), every(-10, 70)), (pod("b"), every(20, 70))) == [(None, "a"), (1200, "b")]


def test_there_and_back() -> None:
    assert runs((pod("a"), every(-10, 20) + every(40, 70)), (pod("b"), every(20, 40))) == [(None, "a"), (1200, "b"), (2400, "a")]


def test_back_where_the_first_never_left() -> None:
    assert runs((pod("a"), every(-10, 70)), (pod("b"), every(20, 40))) == [(None, "a"), (1200, "b"), (2400, "a")]


def test_a_gap_in_the_scrapes_is_no_change() -> None:
    assert runs((pod("a"), every(-10, 20) + every(40, 70))) == [(None, "a")]


@pytest.mark.parametrize("offset", [0.0, 17.0, 50.0])
def test_twins_from_the_first_count_once_and_the_fuller_one_is_believed(offset: float) -> None:
    full, bare = (pod("a", instance="1"), every(-10, 70)), (pod(instance="2"), every(-10, 70, offset=offset))
    assert runs(full, bare) == runs(bare, full) == [(None, "a")]


def test_a_second_copy_that_lags_a_scrape_behind_does_not_turn_it_back() -> None:
    first = (pod("a", instance="1"), every(-10, 20)), (pod("b", instance="1"), every(20, 70))
    second = (pod("a", instance="2"), every(-10, 21, offset=30.0)), (pod("b", instance="2"), every(21, 70, offset=30.0))
    assert runs(*first, *second) == [(None, "a"), (1200, "b")]


def test_changes_in_the_margins_belong_to_other_hours() -> None:
    assert runs((pod("a"), every(-10, -5)), (pod("b"), every(-5, 70))) == [(None, "b")]
    assert runs((pod("a"), every(-10, 65)), (pod("b"), every(65, 70))) == [(None, "a")]
    assert runs((pod("a"), every(-10, 0)), (pod("b"), every(0, 70))) == [(None, "b")]


def test_labels_come_by_name_whichever_way_they_were_asked_for() -> None:
    series = {"uid": "u1", **{f"label_{name}": name for name in "dbeca"}}
    for key in ("pod_labels", raw("pod_labels")):
        answers = Answers(0, 3600, {key: samples((series, [600, 660]))})
        (run,) = label_runs(answers, "pod_labels", lambda labels: labels["uid"], configured=None)["u1"]
        assert list(run.labels) == list("abcde")


def test_who_bore_several_sets_at_once() -> None:
    found = samples((pod("a"), [4200, 7800]), (pod("b"), [7800]), (pod("a", instance="2"), [4200]), ({"uid": "u2", "label_team": "c"}, [4200]))
    assert several(found, "uid") == {"u1"}
    assert several(samples((pod("a"), [4200]), (pod("a", instance="2"), [4200]), (pod("b"), [7800])), "uid") == set()
    assert several(samples(({"label_team": "a"}, [1]), ({"label_team": "b"}, [1])), "uid") == set()


def test_two_kinds_of_runs_side_by_side() -> None:
    one, other = [Run(None, {"a": "1"}), Run(1200, {"a": "2"})], [Run(None, {}), Run(600, {"b": "1"})]
    assert cuts(one, other) == [None, 600, 1200]
    assert [dict(at(one, since)) for since in cuts(one, other)] == [{"a": "1"}, {"a": "1"}, {"a": "2"}]
    assert [dict(at(other, since)) for since in cuts(one, other)] == [{}, {"b": "1"}, {"b": "1"}]
    assert (at([], None), cuts([])) == ({}, [None])
