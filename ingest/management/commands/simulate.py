"""manage.py simulate serve | scrape-config | history | load"""

import os
import signal
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from finops.scope import Refused
from finops.times import window
from ingest.simulator import history, serve
from ingest.simulator.simulation import Simulation
from ingest.simulator.weeks import ZONE, seed_for

PORT = 9480
STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Command(BaseCommand):
    help = "The demo company: live exporters, a prometheus.yml that scrapes them, history as OpenMetrics, or straight into the database."
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        live = parts.add_parser("serve", help="serves the exporters until it is stopped")
        config = parts.add_parser("scrape-config", help="prints a prometheus.yml")
        past = parts.add_parser("history", help="writes OpenMetrics text with timestamps")
        fill = parts.add_parser("load", help="collects the last days into the database and brings the ledger up to date")
        for part in (live, config):
            part.add_argument("--host", default="127.0.0.1")
        for part in (live, config, fill):
            part.add_argument("--port", type=int, default=PORT)
        for part in (live, config, past):
            part.add_argument("--seed", type=_seed, help="default: the one whose story week has just been")
        past.add_argument("--start", required=True)
        past.add_argument("--end", required=True)
        past.add_argument("--output", required=True, type=Path, metavar="FILE[.gz]")
        fill.add_argument("--days", type=int, default=8)
        fill.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))

    def handle(self, *args, part: str, **options) -> None:
        options["seed"] = options.get("seed") if options.get("seed") is not None else seed_for(time.time())
        {"serve": self._serve, "scrape-config": self._scrape_config, "history": self._history, "load": self._load}[part](**options)

    def _serve(self, *, host: str, port: int, seed: int, **options) -> None:
        try:
            found = serve.server(host, port, seed=seed)
        except OSError as error:
            raise CommandError(f"{host}:{port}: {error.strerror}; choose another --port", returncode=2) from error
        self.stdout.write(f"http://{host}:{found.server_address[1]} seed {seed}")
        self.stdout.flush()
        for number in STOPS:
            # shutdown() waits for the loop that runs in this thread
            signal.signal(number, lambda *_: threading.Thread(target=found.shutdown).start())
        with found:
            found.serve_forever(poll_interval=0.2)

    def _scrape_config(self, *, host: str, port: int, seed: int, **options) -> None:
        self.stdout.write(serve.scrape_config(host, port, seed=seed), ending="")

    def _history(self, *, start: str, end: str, output: Path, seed: int, **options) -> None:
        try:
            span = window(start, end, zone=ZONE)
            history.write(Simulation(seed), output, start=span.start.timestamp(), end=span.end.timestamp(), progress=self._part)
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}", returncode=2) from error

    def _part(self, part: float) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{part:.0%}", str, ending="\n" if part == 1 else "")

    def _load(self, *, port: int, days: int, processes: int, **options) -> None:
        from ingest.simulator import load  # the other parts need no database

        for number in STOPS:
            signal.signal(number, lambda number, _: sys.exit(128 + number))  # so that the other processes are ended too
        now, began = datetime.now(UTC), time.monotonic()
        try:
            cluster = load.demo_cluster(port, now=now)
        except load.NotEmpty as error:
            raise CommandError(str(error), returncode=2) from error
        problems = load.load(cluster, days=days, now=now, processes=processes, progress=self._hours)
        if problems:
            raise CommandError("\n".join(problems))
        self.stdout.write(f"demo: up to date over the last {days} days after {time.monotonic() - began:.1f} s")

    def _hours(self, done: int, whole: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\rdemo: {done} of {whole} hours", str, ending="\n" if done == whole else "")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)
