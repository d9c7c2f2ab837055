"""A source that is away, slow or overloaded: the gap is told, others are not held up, and it fills by itself."""

import time

import pytest

from tests.hostile import failure, hostile
from tests.integration.faults.oracle import assert_undisturbed
from tests.integration.faults.stage import END, OVER, START, finished
from tests.integration.faults.witness import CLOCK, Witness, drip


@pytest.fixture
def witness(prometheus, stage):
    """The source of `plain` from now on."""
    made = Witness(prometheus)
    with hostile(made) as server:
        stage.source("plain", "prometheus", url=server.url, match={"cluster": "plain"}, timeout=0.5)
        yield made


def test_three_hours_without_a_source(witness, stage, undisturbed) -> None:
    assert stage.turn(now=START + 9 * 3600 + 130) == {"problems": [], "waiting": 0}
    witness.down = True
    for hour in (10, 11, 12):
        (problem,) = stage.turn(now=START + hour * 3600 + 130)["problems"]
        assert "connection failed" in problem
    assert stage.states() == {"done": 9, "failed": 3}  # a gap is seen as rows, and says why
    assert "connection failed" in stage.window("problem", 9)
    assert [stage.window("failures", hour) for hour in (9, 10, 11)] == [0, 0, 0]  # it was not their fault
    witness.down = False
    stage.killed(now=OVER + 90, hooks=[{"at": "sql", "name": "update collection_window set state", "count": 3, "do": "kill"}])
    assert [stage.window("state", hour) for hour in (9, 10, 11)] == ["leased", "leased", "done"]  # the newest first
    assert stage.turn(now=OVER + 1200) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_both_ends_of_a_backlog_at_once(stage, undisturbed) -> None:
    lanes = [stage.start("turn", lane=lane, seconds=0) for lane in ("newest", "oldest")]
    assert [finished(lane)["problems"] for lane in lanes] == [[], []]
    assert stage.states() == {"done": 12}
    assert_undisturbed(stage, undisturbed["plain"])


TROUBLES = {
    "503": (lambda: failure(503, "unavailable", "starting"), "answered 503"),
    "429": (lambda: failure(429, "throttled", "slow down", **{"Retry-After": "1"}), "answered 429"),
    "slow loris": (lambda: drip, "not complete after"),
}


@pytest.mark.parametrize(("trouble", "clock"), [("503", "clock too"), ("429", "clock answers"), ("slow loris", "clock too")])
def test_an_overloaded_source_is_left_alone_and_holds_nobody_up(trouble: str, clock: str, witness, stage, undisturbed) -> None:
    lie, said = TROUBLES[trouble]
    witness.lie = lambda query, answer: lie() if clock == "clock too" or query != CLOCK else None
    stage.sql("update finops_cluster set first_hour = to_timestamp(%s) where name = 'plain'", START)
    began = time.monotonic()
    theirs = stage.start("turn", seconds=0)
    assert stage.turn(cluster="completed_pods_linger", seconds=60) == {"problems": [], "waiting": 0}
    (problem,) = finished(theirs)["problems"]
    assert said in problem and time.monotonic() - began < 20
    assert "done" not in stage.states()
    witness.lie = lambda query, answer: None
    assert stage.turn(now=OVER + 130) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])
    assert_undisturbed(stage, undisturbed["completed_pods_linger"], "completed_pods_linger")


def test_our_clock_ten_minutes_ahead_makes_no_hours_and_leaves_no_holes(prometheus, stage, undisturbed) -> None:
    stage.source("plain", "prometheus", url=prometheus, match={"cluster": "plain"})
    refused = stage.turn(now=END + 600, ahead=600)["refused"]
    assert "its clock is -600 s off ours; set both by NTP" in refused
    assert stage.states() == {}
    assert stage.turn(now=START + 6 * 3600 - 480) == {"problems": [], "waiting": 0}
    assert "its clock is -600 s" in stage.turn(now=START + 6 * 3600 + 120, ahead=600)["refused"]
    assert sum(stage.states().values()) == 6  # the hour that has not begun is not there
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_a_source_ten_minutes_ahead_is_refused(prometheus, stage, undisturbed) -> None:
    stage.source("plain", "prometheus", url=prometheus, match={"cluster": "plain"})
    assert "its clock is +600 s off ours" in stage.turn(ahead=-600)["refused"]
    assert stage.states() == {}
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])
