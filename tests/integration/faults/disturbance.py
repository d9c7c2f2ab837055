"""Workers, schedule, broker and database killed in random order while clusters are collected."""

import os
import random
import shutil
import signal
import time

from tests.integration.faults.oracle import assert_undisturbed
from tests.integration.faults.schedule import Schedule, children, kill_group
from tests.integration.faults.servers import CLUSTERS, Servers
from tests.integration.faults.stage import Stage


class Round:
    """One database from empty to done, disturbed for a while."""

    def __init__(self, stage: Stage, servers: Servers, chance: random.Random) -> None:
        self.stage, self.servers, self.chance = stage, servers, chance
        self.schedule = Schedule(stage, slow=0.4)
        self.workers = [self.schedule.worker(name=f"w{n}") for n in range(2)]
        self.beat = self.schedule.beat()
        self.told: dict[str, int] = {}

    def disturb(self, seconds: float, *, at_least: int = 3) -> None:
        """Kills one thing after another, on a slow machine for longer."""
        end = time.monotonic() + seconds
        while time.monotonic() < end or sum(self.told.values()) < at_least:
            time.sleep(self.chance.uniform(0.2, 2.5))
            deed = self.chance.choice([self.kill_child, self.kill_worker, self.kill_beat, self.kill_broker, self.kill_database])
            deed()
            self.told[deed.__name__] = self.told.get(deed.__name__, 0) + 1

    def kill_child(self) -> None:
        if found := children(self.chance.choice(self.workers)):
            os.kill(self.chance.choice(found), signal.SIGKILL)

    def kill_worker(self) -> None:
        place = self.chance.randrange(len(self.workers))
        kill_group(self.workers[place])
        self.workers[place] = self.schedule.worker(name=f"w{place}")

    def kill_beat(self) -> None:
        kill_group(self.beat)
        self.beat = self.schedule.beat()

    def kill_broker(self) -> None:
        os.kill(self.servers.pid("valkey"), signal.SIGKILL)
        time.sleep(0.3)
        if self.chance.random() < 0.5:
            shutil.rmtree(self.servers.folder / "valkey", ignore_errors=True)
        self.servers.start()

    def kill_database(self) -> None:
        os.kill(self.servers.pid("postgres"), signal.SIGQUIT)
        time.sleep(0.3)
        self.servers.start()

    def finish(self, right: dict[str, list[tuple]]) -> None:
        """Waits until all is done by itself, and asks the oracle."""
        for cluster in CLUSTERS:
            self.schedule.until(self.schedule.done(12, cluster), seconds=60)
            assert_undisturbed(self.stage, right[cluster], cluster)

    def end(self) -> None:
        for process in (*self.workers, self.beat):
            kill_group(process)
        self.stage.close()
