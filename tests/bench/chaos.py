"""Workers, schedule, broker and database killed at random while clusters are collected; then the ledger must be the undisturbed one.

usage: chaos.py [MINUTES] [SEED] (prints one line per round; not part of the suite)
"""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.integration.faults.oracle import assert_undisturbed, ledger  # noqa: E402
from tests.integration.faults.schedule import Schedule, children, kill_group  # noqa: E402
from tests.integration.faults.servers import CLUSTERS, Servers, prepare, samples  # noqa: E402
from tests.integration.faults.stage import Stage  # noqa: E402

DISTURBED_SECONDS = 15


class Round:
    """One database from empty to done, disturbed for a while."""

    def __init__(self, stage: Stage, servers: Servers, chance: random.Random) -> None:
        self.stage, self.servers, self.chance = stage, servers, chance
        self.schedule = Schedule(stage, slow=0.4)
        self.workers = [self.schedule.worker(name=f"w{n}") for n in range(2)]
        self.beat = self.schedule.beat()
        self.told: dict[str, int] = {}

    def disturb(self) -> None:
        end = time.monotonic() + DISTURBED_SECONDS
        while time.monotonic() < end:
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
        for cluster in CLUSTERS:
            self.schedule.until(self.schedule.done(12, cluster), seconds=120)
            assert_undisturbed(self.stage, right[cluster], cluster)

    def end(self) -> None:
        for process in (*self.workers, self.beat):
            kill_group(process)
        self.stage.close()


def run(folder: Path, servers: Servers, *, minutes: float, seed: int) -> int:
    """Rounds until the time is over; how many."""
    prepare(servers, dump=folder)
    calm = Stage(servers.make("calm", like="prepared"), servers.broker, folder)
    for cluster in CLUSTERS:
        calm.turn(cluster=cluster)
    right = {cluster: ledger(calm, cluster) for cluster in CLUSTERS}
    end, rounds = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        place = folder / f"round{rounds}"
        place.mkdir()
        one = Round(Stage(servers.make(place.name, like="prepared"), servers.broker, place), servers, random.Random(seed + rounds))
        try:
            one.disturb()
            one.finish(right)
        finally:
            one.end()
        print(json.dumps({"round": rounds, "seed": seed + rounds, "ledger": "undisturbed"} | one.told), flush=True)
        rounds += 1
    return rounds


def main() -> None:
    minutes, seed = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as work:
        samples(Path(work))
        servers = Servers(Path(work))
        try:
            print(json.dumps({"rounds": run(Path(work), servers, minutes=minutes, seed=seed)}))
        finally:
            servers.stop()


if __name__ == "__main__":
    main()
