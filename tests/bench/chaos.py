"""Workers, schedule, broker and database killed at random while clusters are collected; then the ledger must be the undisturbed one.

usage: chaos.py [MINUTES] [SEED] (prints one line per round; not part of the suite)
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.integration.faults.disturbance import Round  # noqa: E402
from tests.integration.faults.oracle import ledger  # noqa: E402
from tests.integration.faults.servers import CLUSTERS, Servers, prepare, samples  # noqa: E402
from tests.integration.faults.stage import Stage  # noqa: E402

DISTURBED_SECONDS = 15


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
            one.disturb(DISTURBED_SECONDS)
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
