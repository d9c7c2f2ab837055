"""`manage.py simulate load` as a user runs it: stopped in the middle, started again."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ingest.simulator.weeks import ZONE

ROOT = Path(__file__).resolve().parents[4]


class Product:
    """manage.py with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        without = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
        self.environment = {k: v for k, v in os.environ.items() if k not in without} | {"FINOPS_DATA_DIR": str(folder)}

    def start(self, *words: str) -> subprocess.Popen:
        command = [sys.executable, "manage.py", *words]
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, *words: str) -> str:
        running = self.start(*words)
        out, err = running.communicate(timeout=300)
        assert running.returncode == 0, f"manage.py {' '.join(words)}\n{out[-2000:]}\n{err[-4000:]}"
        return out

    def hours(self) -> dict[str, float]:
        """Capacity in GPU-hours by hour, of yesterday, local time."""
        today = datetime.now(ZONE).date()
        span = ["--start", str(today - timedelta(days=1)), "--end", str(today)]
        rows = json.loads(self("costs", *span, "--group-by", "cluster", "--step", "hour", "--format", "json"))["rows"]
        return {row["period_start"]: float(row["capacity_gpu_hours"]) for row in rows}


@pytest.fixture
def product(tmp_path):
    run = Product(tmp_path / "data")
    run("migrate", "--verbosity", "0")
    yield run
    if (place := tmp_path / "data/socket-folder").exists():
        shutil.rmtree(place.read_text(), ignore_errors=True)


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def workers(pid: int) -> list[int]:
    """Its child processes that run the same command."""
    return [child for child in children(pid) if "simulate" in Path(f"/proc/{child}/cmdline").read_text()]


@pytest.mark.skipif(sys.platform != "linux", reason="child processes are read from /proc")
def test_load_can_be_stopped_and_started_again(product) -> None:
    first = product.start("simulate", "load", "--days", "1", "--processes", "2")
    deadline = time.monotonic() + 120
    while len(found := workers(first.pid)) < 2:
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=60)
    assert first.returncode == 143
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)
    product("simulate", "load", "--days", "1", "--processes", "2")
    hours = product.hours()
    assert len(hours) in (23, 24, 25) and min(hours.values()) >= 48  # eight nodes of four, four A100, twelve T4
    assert "up to date" in product("simulate", "load", "--days", "1")
    assert product.hours() == hours
