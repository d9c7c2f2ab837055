"""Workers and beats of one stage, from their begin to their end by pid."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from tests.integration.faults.stage import OVER, Stage, stamp

SHORT = {"LEASE": 3, "SHORT_PAUSE": 0.5, "LONGEST_PAUSE": 1}


class Schedule:
    """`slow`: seconds added to each window, so that something can happen meanwhile."""

    def __init__(self, stage: Stage, *, slow: float = 0.3, constants: dict | None = None, transport: dict | None = None) -> None:
        self.stage = stage
        delay = {"at": "call", "name": "ingest.store:store", "do": "slow", "seconds": slow, "always": True}
        shortened = SHORT if constants is None else constants
        asked = {"now": stamp(OVER), "since": time.monotonic(), "constants": shortened, "hooks": [delay], "transport": transport or {}}
        stage.more = {"FAULTS": json.dumps(asked)}  # read by worker.py

    def start(self) -> None:
        """One worker and one beat; the stage ends them."""
        self.worker()
        self.beat()

    def worker(self, *, name: str = "worker") -> subprocess.Popen:
        return self._celery(name, "worker", "--concurrency", "2", "--without-gossip", "--without-mingle", "--loglevel", "INFO", "-n", f"{name}@%h")

    def beat(self, *, name: str = "beat") -> subprocess.Popen:
        return self._celery(name, "beat", "--schedule", str(self.stage.folder / name), "--pidfile=", "--max-interval", "1")

    def _celery(self, name: str, *words: str) -> subprocess.Popen:
        with (self.stage.folder / f"{name}.log").open("a") as log:
            command = [sys.executable, "-W", "ignore", "-m", "celery", "-A", "tests.integration.faults.worker", *words]
            return self.stage.launch(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def until(self, condition: Callable[[], bool], *, seconds: float = 25) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.1)

    def done(self, hours: int, cluster: str = "plain") -> Callable[[], bool]:
        """Whether so many hours are done, and all of them accounted where it is all."""
        return lambda: self.stage.states(cluster).get("done", 0) >= hours and (hours < 12 or self._quiet(cluster))

    def _quiet(self, cluster: str) -> bool:
        query = "select count(*) from collection_window w join finops_cluster c on c.id = w.cluster_id where c.name = %s and dirty"
        return self.stage.sql(query, cluster) == [(0,)]

    def log(self) -> str:
        return f"{self.stage.states()}\n" + "\n".join(path.read_text()[-3000:] for path in self.stage.folder.glob("*.log"))


def children(process: subprocess.Popen) -> list[int]:
    """The pool's processes of a worker."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
    return [int(pid) for pid in found.split()]


def kill_group(process: subprocess.Popen) -> None:
    """The worker with its whole pool, as when a container is removed."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
