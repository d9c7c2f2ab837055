"""The broker only carries hints: killed, emptied, half-open, or bringing a message twice, it costs time and nothing else."""

import os
import shutil
import signal
import socket
import threading
import time
from pathlib import Path

import pytest
import redis

from tests.hostile import hostile
from tests.integration.faults.oracle import assert_undisturbed
from tests.integration.faults.schedule import Schedule, children, kill_group
from tests.integration.faults.stage import START
from tests.integration.faults.witness import drip


@pytest.fixture
def empty(servers, stage):
    """A broker that holds nothing."""
    with redis.Redis.from_url(servers.broker) as client:
        client.flushall()
        yield client


def test_a_broker_killed_and_emptied(servers, stage, undisturbed, empty) -> None:
    schedule = Schedule(stage, slow=0.2)
    schedule.start()
    schedule.until(schedule.done(2))
    os.kill(servers.pid("valkey"), signal.SIGKILL)
    time.sleep(0.3)
    shutil.rmtree(servers.folder / "valkey")
    servers.start()
    for cluster in ("plain", "completed_pods_linger"):
        schedule.until(schedule.done(12, cluster))
        assert_undisturbed(stage, undisturbed[cluster], cluster)


def test_a_child_and_then_the_whole_worker_killed(stage, undisturbed, empty) -> None:
    schedule = Schedule(stage, slow=0.2)
    worker = schedule.worker()
    schedule.beat()
    schedule.until(schedule.done(1))
    os.kill(children(worker)[0], signal.SIGKILL)
    schedule.until(schedule.done(3))
    kill_group(worker)
    schedule.worker(name="next")
    schedule.until(schedule.done(12))
    assert_undisturbed(stage, undisturbed["plain"])


def test_messages_brought_twice_and_two_schedules(stage, undisturbed, empty) -> None:
    """A turn takes longer than the visibility timeout, so the broker brings its message again while it still runs."""
    transport = {"visibility_timeout": 1, "unacked_restore_interval": 1, "unacked_restore_throttle": 1}
    schedule = Schedule(stage, slow=0.5, transport=transport, constants={})
    for name in ("one", "two"):
        schedule.worker(name=name)
        schedule.beat(name=f"beat {name}")
    schedule.until(schedule.done(12))
    assert_undisturbed(stage, undisturbed["plain"])
    assert stage.sql("select distinct attempt from collection_window where state = 'done'") == [(1,)]  # each was collected once
    begun = sum((stage.folder / f"{name}.log").read_text().count("ingest.tasks.work") for name in ("one", "two"))
    assert begun > 4  # though far more came than two lanes of two clusters need


def test_a_hanging_source_starves_nobody(stage, undisturbed, empty) -> None:
    """Both lanes of its cluster would fill the two places of the worker."""
    with hostile(lambda request, number: drip) as server:
        stage.source("plain", "prometheus", url=server.url, timeout=1)
        stage.sql("update finops_cluster set first_hour = to_timestamp(%s) where name = 'plain'", START)
        schedule = Schedule(stage, slow=0.1)
        schedule.start()
        schedule.until(lambda: "failed" in stage.states())
        schedule.until(schedule.done(12, "completed_pods_linger"))
        assert_undisturbed(stage, undisturbed["completed_pods_linger"], "completed_pods_linger")


class Swallowing:
    """A TCP port before a socket file. Connections made before `swallow` stay open, and nothing passes any more."""

    def __init__(self, path: str) -> None:
        self.path, self.open = path, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(self.path)
            passing = threading.Event()
            passing.set()
            self.open.append((client, behind, passing))
            for source, target in ((client, behind), (behind, client)):
                threading.Thread(target=self._pass, args=(source, target, passing), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, passing: threading.Event) -> None:
        try:
            while data := source.recv(65536):
                if passing.is_set():
                    target.sendall(data)
            if passing.is_set():
                target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def swallow(self) -> int:
        """How many connections went silent."""
        for _, _, passing in self.open:
            passing.clear()
        return len(self.open)

    def close(self) -> None:
        self.server.close()
        for client, behind, _ in self.open:
            client.close()
            behind.close()


def test_a_half_open_broker(servers, stage, undisturbed, empty) -> None:
    between = Swallowing(str(next(Path((servers.folder / "socket-folder").read_text()).glob("valkey.sock"))))
    stage.broker = f"redis://127.0.0.1:{between.port}/0"
    schedule = Schedule(stage, slow=0.2)
    schedule.start()
    try:
        schedule.until(schedule.done(2))
        assert between.swallow() >= 2
        schedule.until(schedule.done(12))
        schedule.until(schedule.done(12, "completed_pods_linger"))
        assert_undisturbed(stage, undisturbed["plain"])
    finally:
        between.close()
