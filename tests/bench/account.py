"""Days of 100 GPUs accounted anew, by one process and by one per core: a sample of what a year takes after a change of rates.

usage: account.py [DAYS] (needs nothing beside the product; prints figures and the ratio, writes bench-account.json)
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

YEAR = 8760
ROUNDS = 3


class Timed:
    """Seconds that this process spends in what `owner`, a module or a class, calls `name`."""

    def __init__(self, owner: object, name: str) -> None:
        self.seconds, real = 0.0, getattr(owner, name)

        def call(*args: object) -> object:
            began = time.perf_counter()
            try:
                return real(*args)
            finally:
                self.seconds += time.perf_counter() - began

        setattr(owner, name, call)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(days: int) -> dict[str, float]:
    """Medians of ROUNDS, one process and several taken in turns."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from finops import pipeline, recompute
    from finops import reading as facts
    from finops.hour import Hour
    from finops.models import Cluster
    from finops.processes import cores
    from finops.scope import Window
    from tests.bench import hundred

    call_command("migrate", verbosity=0)
    hundred.configure()
    cluster = Cluster.objects.create(name="bench", source={}, scrape_interval=60)
    hundred.store(cluster.id, days * 24)
    connection.cursor().execute("analyze")
    window = Window(hundred.START, hundred.START + timedelta(days=days))

    def accounted(processes: int) -> None:
        orders = recompute.ordered([cluster], window)
        found = recompute.run([day for order in orders for day in order.due], processes=processes, progress=lambda found: None)
        assert (found.hours, found.gpu_hours, found.failed) == (days * 24, days * 24 * hundred.GPUS, [])
        recompute.close(orders)

    accounted(1)  # the first time every holding is new
    reading, book, charging = Timed(facts, "read_hours"), Timed(pipeline, "Book"), Timed(Hour, "made")
    alone, together = [], []
    for _ in range(ROUNDS):
        alone.append(seconds(lambda: accounted(1)))
        together.append(seconds(lambda: accounted(cores())))
    one, many, work = statistics.median(alone), statistics.median(together), days * 24 * hundred.GPUS
    read, charged = (reading.seconds + book.seconds) / sum(alone), charging.seconds / sum(alone)
    return {
        "gpus": hundred.GPUS, "hours": days * 24, "cores": cores(),
        "hours_x_gpus_per_second_of_one_process": work / one,
        "hours_x_gpus_per_second": work / many,
        "hours_x_gpus_per_second_and_core": work / many / cores(),
        "share_of_reading": read, "share_of_writing": 1 - read - charged,
        "ratio": one / many, "seconds_per_year": many * YEAR / (days * 24),
    }  # fmt: skip


def main() -> None:
    days = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"FINOPS_DATA_DIR": str(Path(work) / "data"), "DJANGO_SETTINGS_MODULE": "finops.settings"}
        try:
            figures = measure(days)
        finally:
            from finops import embedded

            embedded.release()
    print(json.dumps(figures, indent=1))
    Path("bench-account.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
