"""One process of the product whose clock runs faster: process.py serve|worker|beat '{"first": …, "since": …, "speed": …}'."""

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
ASKED = json.loads(sys.argv[2])


def now() -> datetime:
    """`first` at the real moment `since`, and `speed` seconds per second from there."""
    return datetime.fromtimestamp(ASKED["first"] + (time.time() - ASKED["since"]) * ASKED["speed"], UTC)


def serve() -> None:
    from ingest.simulator.serve import server

    server("127.0.0.1", ASKED["port"], seed=ASKED["seed"], clock=lambda: now().timestamp()).serve_forever()


def celery(*words: str) -> None:
    from finops import times

    times.now = now  # before anybody takes it from there
    import django

    django.setup()
    from finops.celery import app
    from ingest import windows

    windows.LEASE = timedelta(minutes=3)
    for entry in app.conf.beat_schedule.values():
        entry["schedule"] /= ASKED["speed"]
    app.start(["--quiet", *words])


ROLES = {
    "serve": serve,
    "worker": lambda: celery("worker", "-Q", "celery,scrape", "-c", "2", "--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
    "beat": lambda: celery("beat", "--schedule", ASKED["beat"], "--pidfile=", "--max-interval", "1"),
}

if __name__ == "__main__":
    ROLES[sys.argv[1]]()
