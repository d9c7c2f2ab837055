"""PostgreSQL restarted, failed over, and written to by several at once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from finops.embedded.postgres import _postgres_binaries
from tests.integration.faults.oracle import assert_nothing_half, assert_undisturbed, watermark
from tests.integration.faults.stage import HOURS, OVER, START, finished, stamp

MEMBER = """
import sys
from pathlib import Path
from finops import embedded
print(embedded.postgres_url(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_restarted_in_the_middle_of_a_copy(servers, stage, undisturbed) -> None:
    process = stage.start("turn", hooks=[{"at": "copy", "name": "use_quarter", "count": 5, "do": "wait"}])
    assert process.stdout.readline() == "here\n"
    os.kill(servers.pid("postgres"), signal.SIGQUIT)  # immediate: no checkpoint, no farewell
    time.sleep(0.5)
    servers.start()
    process.communicate("\n", timeout=30)
    assert process.returncode == 1
    assert_nothing_half(stage)
    assert stage.turn(now=OVER + 120) == {"problems": [], "waiting": 0}  # it gave its windows back: no lease has to run out
    assert_undisturbed(stage, undisturbed["plain"])


@pytest.fixture
def standby(servers, stage):
    """A copy of the server as it stands now, which hears nothing of what comes after."""

    def copy():
        folder = stage.folder / "standby"
        folder.mkdir(mode=0o700)
        sockets = (servers.folder / "socket-folder").read_text()
        words = [str(_postgres_binaries() / "pg_basebackup"), "-h", sockets, "-U", "finops", "-D", str(folder / "postgres"), "-c", "fast"]
        subprocess.run(words, check=True, capture_output=True)
        (folder / "postgres/standby.signal").touch()
        return folder

    yield copy
    if (note := stage.folder / "standby/socket-folder").exists():
        subprocess.run(["rm", "-rf", note.read_text()], check=True)


def test_a_lagging_standby_takes_over(stage, standby, undisturbed) -> None:
    assert stage.turn(now=START + 6 * 3600 + 130) == {"problems": [], "waiting": 0}
    folder = standby()
    assert stage.turn() == {"problems": [], "waiting": 0}
    primary, member = stage.url, stage.launch([sys.executable, "-c", MEMBER, str(folder)])
    try:
        stage.url = member.stdout.readline().strip().replace("/finops?", f"/{primary.split('/')[-1].split('?')[0]}?")
        assert stage.sql("select pg_promote()") == [(True,)]
        assert watermark(stage) is not None and watermark(stage).isoformat() == stamp(START + 6 * 3600)
        assert_nothing_half(stage)  # rows and watermark went back together
        assert stage.turn() == {"problems": [], "waiting": 0}
        assert_undisturbed(stage, undisturbed["plain"])
    finally:
        stage.url = primary
        member.communicate(timeout=20)


def test_neighbouring_hours_stored_at_the_same_time(stage, undisturbed) -> None:
    """They share leases; each is renewed by both."""
    hold = {"at": "sql", "name": "delete from lease", "do": "slow", "seconds": 0.1, "always": True}
    both = [stage.start("order", hours=list(HOURS[first::2]), hooks=[hold]) for first in (0, 1)]
    assert [finished(each)["problems"] for each in both] == [[], []]
    assert_undisturbed(stage, undisturbed["plain"])


def test_hours_of_one_day_accounted_at_the_same_time(stage, undisturbed) -> None:
    """They share the day's roll-up; each makes it again."""
    stage.run("order", hours=list(HOURS), account=False)
    hold = {"at": "sql", "name": "delete from ledger_day", "do": "slow", "seconds": 0.05, "always": True}
    both = [stage.start("account", hours=list(HOURS[first::2]), hooks=[hold]) for first in (0, 1)]
    assert [finished(each)["hours"] for each in both] == [6, 6]
    assert_undisturbed(stage, undisturbed["plain"])


def test_facts_that_change_while_their_hour_is_accounted(stage, undisturbed, dump) -> None:
    whole = (dump / "plain.om").read_text().split("\n")
    (stage.folder / "unmeasured.om").write_text("\n".join(line for line in whole if "GPU_UTIL" not in line and "GR_ENGINE" not in line))
    stage.source("plain", "openmetrics", path=str(stage.folder / "unmeasured.om"))
    stage.run("order", hours=list(HOURS), account=False)
    accounting = stage.start("account", hooks=[{"at": "sql", "name": "delete from ledger_hour", "do": "wait"}])
    assert accounting.stdout.readline() == "here\n"
    stage.source("plain", "openmetrics", path=str(dump / "plain.om"))
    stage.run("order", hours=list(HOURS), account=False)
    accounting.stdin.write("\n")
    accounting.stdin.flush()
    assert finished(accounting)["hours"] == 12
    assert stage.window("dirty", 0) is True  # what it wrote is already out of date, and known to be
    stage.run("account")
    assert_undisturbed(stage, undisturbed["plain"])


def test_an_old_day_collected_by_eight_while_the_schedule_runs(stage, undisturbed) -> None:
    stage.turn()
    lines = "select xmin::text, ctid::text from ledger_hour union all select xmin::text, ctid::text from pod_hour order by 1, 2"
    before = stage.sql(lines)
    many = [stage.start("order", hours=list(HOURS)) for _ in range(8)] + [stage.start("turn", now=OVER + 600)]
    assert [finished(each)["problems"] for each in many] == [[]] * 9
    assert stage.sql(lines) == before  # no row was written again
    assert_undisturbed(stage, undisturbed["plain"])


