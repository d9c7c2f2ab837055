"""Twenty minutes in the life of the whole stack, twelve times as fast, with kills; its ledger against the company's own account."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from ingest.simulator.configuration import configuration
from ingest.simulator.schedule import Schedule
from ingest.simulator.truth import truth
from tests.integration.faults.servers import Servers

ROOT = Path(__file__).resolve().parents[3]
PROCESS = Path(__file__).with_name("process.py")
SEED, SPEED = 0, 12
FIRST = datetime(2026, 11, 25, 9, tzinfo=UTC).timestamp()  # 10:00 in Zurich, a Wednesday
MINUTE = 60.0
LINES = """select h.team, sum(l.allocated), sum(l.starting), sum(l.used), sum(l.idle), sum(l.unmeasured), sum(l.capacity)
    from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding group by 1"""

SEEN = "select avg(pages) from (select count(page) as pages from scrape where target like '%/nodes/%' group by target) targets"


class Stack:
    """The simulated exporters, a worker and a beat, each of which may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.servers = folder, Servers(folder / "data")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = os.environ | {
            "FINOPS_DATA_DIR": str(folder / "data"), "DATABASE_URL": self.servers.url, "REDIS_URL": self.servers.broker,
            "DJANGO_SETTINGS_MODULE": "finops.settings",
        }  # fmt: skip
        (folder / "demo.yaml").write_text(configuration(self.port, seed=SEED, now=FIRST))
        for words in (["migrate", "--verbosity", "0"], ["apply", str(folder / "demo.yaml")]):
            subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=self.environment, check=True, capture_output=True)
        self.asked = {"first": FIRST, "since": time.time() + 3, "speed": SPEED, "seed": SEED, "port": self.port, "beat": str(folder / "beat")}
        self.running = {role: self.start(role) for role in ("serve", "worker", "beat")}

    def start(self, role: str) -> subprocess.Popen:
        with (self.folder / f"{role}.log").open("a") as log:
            return subprocess.Popen([sys.executable, "-W", "ignore", str(PROCESS), role, json.dumps(self.asked)], cwd=ROOT,
                                    env=self.environment, stdout=log, stderr=log, start_new_session=True)  # fmt: skip

    def kill(self, role: str) -> None:
        """As a node's failure does it; started again as Kubernetes would."""
        self.end(role)
        self.running[role] = self.start(role)

    def end(self, role: str) -> None:
        os.killpg(self.running[role].pid, signal.SIGKILL)
        self.running[role].wait()

    def kill_server(self, name: str) -> None:
        os.kill(self.servers.pid(name), signal.SIGKILL)
        time.sleep(0.3)
        self.servers.start()

    def until(self, minutes: float) -> None:
        """Sleeps up to that minute of the story."""
        time.sleep(max(0.0, self.asked["since"] + minutes * MINUTE / SPEED - time.time()))

    def sql(self, query: str) -> list[tuple]:
        with psycopg.connect(self.servers.url, autocommit=True) as connection:
            return connection.execute(query).fetchall()

    def collected(self) -> float:
        """Minutes of the running hour that are in the ledger."""
        found = self.sql("select extract(epoch from collected_until) from collection_window where not dirty and accounted_at is not null")
        return (float(found[0][0]) - FIRST) / MINUTE if found and found[0][0] else 0.0

    def log(self) -> str:
        windows = self.sql("select start, state, attempt, failures, problem, collected_until, dirty from collection_window")
        return f"{windows}\n" + "\n".join(path.read_text()[-3000:] for path in self.folder.glob("*.log"))


@pytest.fixture
def stack(tmp_path):
    made = Stack(tmp_path)
    yield made
    for role in made.running:
        made.end(role)
    made.servers.stop()


def test_what_was_killed_is_not_missing(stack) -> None:
    stack.until(4)
    stack.kill("worker")
    stack.until(8)
    stack.kill_server("valkey")
    stack.until(11)
    stack.kill("beat")
    stack.until(14)
    stack.kill_server("postgres")
    stack.until(17)
    stack.kill("worker")
    deadline = time.time() + 60
    while stack.collected() < 20:
        assert time.time() < deadline, stack.log()
        time.sleep(0.2)
    stack.end("worker")
    minutes = stack.collected()
    right: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    account = truth(Schedule(SEED), FIRST, FIRST + minutes * MINUTE)
    for (_, team, _, _), figures in account.jobs.items():
        for name in ("allocated", "starting", "used"):
            right[team or "unassigned"][name] += getattr(figures, name)
    names = ("allocated", "starting", "used", "idle", "unmeasured", "capacity")
    got = {team: dict(zip(names, map(float, row), strict=True)) for team, *row in stack.sql(LINES)}
    assert set(got) == set(right) | {"unallocated"}
    assert sum(row["capacity"] for row in got.values()) == pytest.approx(sum(account.capacity.values()), rel=0.005)
    seen = float(stack.sql(SEEN)[0][0]) / minutes
    assert seen > 0.4, stack.log()
    for team, figures in right.items():
        assert got[team]["allocated"] == pytest.approx(figures["allocated"], abs=0.06, rel=0.02), team
        assert got[team]["starting"] == pytest.approx(figures["starting"], abs=0.06, rel=0.02), team
        # A scrape that falls into a kill is lost with its minute: unmeasured, never a guess.
        lost = got[team]["unmeasured"]
        assert lost <= max(0.0, 1.05 - seen) * figures["allocated"] + 0.06, team
        slack = 0.1 + 0.1 * figures["used"]  # twenty samples of curves that wander
        assert figures["used"] - lost - slack <= got[team]["used"] <= figures["used"] + slack, team
