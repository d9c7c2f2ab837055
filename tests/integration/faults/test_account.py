"""A window accounted anew by several processes at once, killed, interrupted and shared: the ledger is that of one process."""

import os
import re
import signal
import sys
import time
from datetime import timedelta

import pytest

from tests.bench.hundred import START
from tests.integration.faults.stage import ROOT, Stage, finished

CLUSTERS, HOURS = ("a", "b"), 100  # of five local days each: 22 hours, three whole days and 6 hours
WORDS = ["account", "--start", "2026-09-01T00:00Z", "--end", "2026-09-05T04:00Z"]
TABLES = {
    "ledger_hour": "l", "ledger_day": "l", "holding": "l", "finding": "l",
    "collection_window": "l.cluster_id, l.start, l.dirty, l.capacity_gpu_hours, l.cost",
}  # fmt: skip
FIRST_LINES = {"at": "sql", "name": "delete from ledger_day"}


@pytest.fixture(scope="module")
def facts(servers, tmp_path_factory) -> str:
    """The name of a database with facts and no ledger."""
    stage = Stage(servers.make("facts", like=None), servers.broker, tmp_path_factory.mktemp("facts"))
    _migrated(stage)
    stage.run("fleet", clusters=CLUSTERS, hours=HOURS)
    return "facts"


def _migrated(stage: Stage) -> None:
    process = stage.launch([sys.executable, "-W", "ignore", "manage.py", "migrate", "--verbosity", "0"])
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said


@pytest.fixture
def stage(servers, facts, tmp_path, request):
    name = re.sub(r"\W+", "_", request.node.name)[:60].lower()
    made = Stage(servers.make(name, like=facts), servers.broker, tmp_path)
    yield made
    made.close()
    servers.drop(name)


@pytest.fixture(scope="module")
def serial(servers, facts, tmp_path_factory) -> dict[str, list[tuple]]:
    """Every row of the ledger that one process makes."""
    stage = Stage(servers.make("serial", like=facts), servers.broker, tmp_path_factory.mktemp("serial"))
    assert "200 hours accounted; 2400 hours × GPUs" in account(stage, "--processes", "1")["said"]
    found = rows(stage)
    assert len(found["ledger_hour"]) > 1000 and len(found["ledger_day"]) > 100 and found["finding"] == []
    return found


def rows(stage: Stage) -> dict[str, list[tuple]]:
    return {table: stage.sql(f"select ({what})::text from {table} l order by 1") for table, what in TABLES.items()}


def account(stage: Stage, *words: str, hooks: tuple = ()) -> dict:
    return stage.run("command", words=[*WORDS, *words], hooks=list(hooks))


def begun(stage: Stage, *words: str, hooks: tuple = ()):
    return stage.start("command", words=[*WORDS, *words], hooks=list(hooks))


def due(stage: Stage) -> int:
    return stage.sql("select count(*) from collection_window where dirty")[0][0]


def held(stage: Stage) -> dict:
    """A process tells that it is about to store a day, and goes on when the flag is gone."""
    flag = stage.folder / "hold"
    flag.touch()
    return FIRST_LINES | {"do": "hold", "flag": str(flag)}


def until(stage: Stage, hours: int) -> None:
    """Waits until that many hours are due."""
    end = time.monotonic() + 60
    while due(stage) != hours:
        assert time.monotonic() < end, due(stage)
        time.sleep(0.05)


def assert_serial(stage: Stage, serial: dict[str, list[tuple]]) -> None:
    got = rows(stage)
    assert [name for name in TABLES if got[name] != serial[name]] == []
    assert stage.sql("select * from account_order") == []


def test_three_processes_make_what_one_makes(stage, serial) -> None:
    assert "200 hours accounted; 2400 hours × GPUs" in account(stage, "--processes", "3")["said"]
    assert_serial(stage, serial)
    assert "200 hours accounted" in account(stage, "--processes", "3")["said"]  # a new order, not the old one
    assert_serial(stage, serial)


def test_a_process_is_killed_in_the_middle_of_its_second_day(stage, serial) -> None:
    """Another one begins the day again."""
    flag = stage.folder / "unlucky"
    flag.touch()
    found = account(stage, "--processes", "2", hooks=(FIRST_LINES | {"do": "kill", "count": 2, "flag": str(flag), "once": True},))
    assert not flag.exists()
    assert "200 hours accounted" in found["said"] and "error" not in found
    assert_serial(stage, serial)


def test_a_day_that_kills_every_process_is_named_and_keeps_no_other_back(stage, serial) -> None:
    """The first local day of the clusters has 22 hours, from 02:00 to midnight in Zurich."""
    kill = {"at": "call", "name": "finops.pipeline:account_day", "when": "2026, 9, 1)", "do": "kill", "always": True}
    found = account(stage, "--processes", "2", hooks=(kill,))
    assert "156 hours accounted" in found["said"] and found["code"] == 1
    assert found["error"].split("\n")[0] == (
        "cluster a, 2026-09-01T00:00:00+00:00 and the 21 hours after it, up to 2026-09-01T21:00:00+00:00: the process that accounted this day "
        "ended twice without a word (SIGKILL); look for memory limits in the system's log"
    )
    assert due(stage) == 44
    assert "44 hours accounted" in account(stage)["said"]
    assert_serial(stage, serial)


def test_the_parent_is_killed_and_the_same_command_goes_on(stage, serial) -> None:
    kill = {"at": "call", "name": "finops.recompute:_again", "count": 4, "do": "kill"}
    slow = FIRST_LINES | {"do": "slow", "seconds": 0.3, "always": True}
    first = begun(stage, "--processes", "2", hooks=(kill, slow))
    first.communicate(timeout=60)  # which ends when its processes have ended too
    assert first.returncode == -signal.SIGKILL
    left = due(stage)
    assert 0 < left < 200
    lined = "select count(*) from collection_window w where dirty = exists (select from ledger_hour where cluster_id = w.cluster_id and hour = start)"
    assert stage.sql(lined) == [(0,)]  # an hour has its lines or is due
    done = stage.sql("select start, accounted_at from collection_window where not dirty order by 1, 2")
    found = account(stage, "--processes", "2")
    assert f"{left} hours accounted" in found["said"] and "goes on with the order of" in found["said"]
    assert set(done) <= set(stage.sql("select start, accounted_at from collection_window"))  # nothing was done twice
    assert_serial(stage, serial)


def test_interrupted_as_from_a_terminal(stage, serial) -> None:
    first = begun(stage, "--processes", "2", hooks=(held(stage) | {"count": 2},))
    assert first.stdout.readline() == "here\n"
    os.killpg(first.pid, signal.SIGINT)
    found = finished(first)
    assert (found["code"], found["error"]) == (130, "interrupted; what is done stays done: the same command goes on with the rest")
    left = due(stage)
    assert 0 < left < 200
    assert f"{left} hours accounted" in account(stage)["said"]
    assert_serial(stage, serial)


@pytest.mark.parametrize("other", ["the same command", "a worker"])
def test_the_days_are_shared_with(other: str, stage, serial) -> None:
    """Of ten days two are in the hands of the first; the others are for whoever comes."""
    hold = held(stage)
    first = begun(stage, "--processes", "2", hooks=(hold,))
    assert [first.stdout.readline() for _ in range(2)] == ["here\n"] * 2
    assert due(stage) == 200
    second = [begun(stage, "--processes", "2")] if other == "the same command" else [stage.start("account", cluster=name) for name in CLUSTERS]
    until(stage, 44)  # the first day of each cluster is the first command's
    os.unlink(hold["flag"])
    mine = finished(first)["said"]
    theirs = [finished(each) for each in second]
    assert "44 hours accounted, 156 by others" in mine
    assert sum(each.get("hours", 0) for each in theirs) == 156 or "156 hours accounted, 44 by others" in theirs[0]["said"]
    assert_serial(stage, serial)


def test_an_hour_that_cannot_be_charged_is_named_and_stays_due(stage, serial) -> None:
    hour = "(2026, 9, 2, 7, 0, tzinfo=datetime.timezone.utc), datetime.datetime(2026, 9, 2, 8"
    poison = {"at": "call", "name": "finops.reading:read_hours", "when": hour, "do": "fail", "always": True}
    found = account(stage, "--processes", "2", hooks=(poison,))
    assert found["error"].split("\n") == [f"cluster {name}, 2026-09-02T07:00:00+00:00: this hour is poison" for name in CLUSTERS]
    assert "198 hours accounted" in found["said"] and found["code"] == 1
    assert due(stage) == 2
    assert "2 hours accounted" in account(stage)["said"]
    assert_serial(stage, serial)


def test_a_lock_order_of_others_is_no_deadlock(stage, serial) -> None:
    """Somebody marks the hours of a day in an order of his own while the day is stored; both come through."""
    first = begun(stage, "--processes", "1", hooks=({"at": "sql", "name": "for update skip locked", "do": "wait"},))
    assert first.stdout.readline() == "here\n"
    import psycopg

    with psycopg.connect(stage.url) as other:
        other.execute("update collection_window set problem = 'x' where start = %s", [START + timedelta(hours=21)])
        first.stdin.close()
        first.stdin = None
        time.sleep(0.5)
        other.execute("update collection_window set problem = 'x'")  # those before the day's last hour too
        other.execute("update collection_window set problem = ''")
        other.commit()
    assert "200 hours accounted" in finished(first)["said"]
    assert_serial(stage, serial)


def test_what_is_refused(stage) -> None:
    assert account(stage, "--processes", "0") == {"said": "", "error": "--processes: at least 1", "code": 2}
    assert account(stage, "--cluster", "c") == {"said": "", "error": "no cluster c", "code": 2}


def test_silent_where_nobody_looks(stage) -> None:
    words = [sys.executable, "-W", "ignore", str(ROOT / "manage.py"), *WORDS, "--cluster", "b"]
    process = stage.launch(words)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    assert re.fullmatch(r"100 hours accounted; 1200 hours × GPUs in \d+\.\d s, \d+ per second\n", out)
