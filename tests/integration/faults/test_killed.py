"""A worker that dies at any point of its work loses nothing and leaves nothing half done."""

import pytest

from tests.integration.faults.oracle import assert_nothing_half, assert_undisturbed
from tests.integration.faults.stage import OVER, START

LEASE = 16 * 60
SEVENTH = f"{START + 7 * 3600}.0, {START + 8 * 3600}.0"  # the arguments that name the hour
POINTS = {
    "after the claim": {"at": "call", "name": "ingest.catch_up:collect_claimed"},
    "after the fetch": {"at": "call", "name": "ingest.collect:fetch", "after": True},
    "in the middle of a COPY": {"at": "copy", "name": "use_quarter", "count": 5},
    "before the window is marked": {"at": "sql", "name": "update collection_window set state", "count": 2},
    "after the commit, before accounting": {"at": "call", "name": "finops.pipeline:account"},
    "in the middle of accounting": {"at": "sql", "name": "delete from ledger_day", "count": 2},
}  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_killed(point: str, stage, undisturbed) -> None:
    stage.killed(hooks=[POINTS[point] | {"do": "kill"}])
    assert_nothing_half(stage)
    assert stage.turn(now=OVER + LEASE + 60) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_an_hour_that_kills_its_worker_three_times_rests_and_the_others_go_on(stage, undisturbed) -> None:
    """As the kernel does where memory runs out: without a word."""
    flag = stage.folder / "too-little-memory"
    flag.touch()
    kill = {"at": "call", "name": "ingest.collect:cut", "when": SEVENTH, "do": "kill", "flag": str(flag), "always": True}
    now = OVER
    for _ in range(3):
        stage.killed(now=now, hooks=[kill])
        now += LEASE + 60
    assert stage.turn(now=now, hooks=[kill]) == {"problems": [], "waiting": 0}
    assert stage.states() == {"done": 11, "failed": 1}
    assert stage.window("problem", 7) == "the worker died 3 times over this hour; look for memory limits in its log"
    assert stage.turn(now=now + 600, hooks=[kill])["waiting"] == 0  # it rests: no endless loop
    flag.unlink()
    assert stage.turn(now=now + 3700, hooks=[kill]) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])
