"""The live exporters and the history file, judged by Prometheus' own tools."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from ingest.simulator.serve import paths

ROOT = Path(__file__).resolve().parents[4]
pytestmark = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is missing: apt-get install prometheus")


def manage(*words: str, **more: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "manage.py", "simulate", *words], cwd=ROOT, capture_output=True, text=True, timeout=120, **more)


@pytest.fixture(scope="module")
def address():
    command = [sys.executable, "manage.py", "simulate", "serve", "--port", "0", "--seed", "1"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        assert line.endswith(" seed 1\n")
        yield line.split()[0]
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=10) == 0
        server.stdout.close()


@pytest.mark.parametrize("path", paths())
def test_promtool_accepts_every_page(path: str, address) -> None:
    try:
        page = urllib.request.urlopen(address + path, timeout=10).read()
    except urllib.error.HTTPError as error:
        assert error.code == 503 and "gpu-v100-06" in path  # the silent one, should this be its Wednesday
        return
    done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True)
    # DCGM writes modelName; the linter asks for snake_case and reads on
    complaints = [line for line in done.stderr.decode().splitlines() if "snake_case" not in line]
    assert complaints == [] and done.returncode in (0, 3)


def test_an_unknown_path_lists_the_known_ones(address) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address + "/metrics", timeout=10)
    assert refused.value.code == 404 and refused.value.read().decode().splitlines() == paths()


def test_a_taken_port_is_one_line(address) -> None:
    done = manage("serve", "--port", address.rsplit(":", 1)[1])
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "--port" in done.stderr


def test_promtool_accepts_the_scrape_configuration(tmp_path) -> None:
    (tmp_path / "prometheus.yml").write_text(manage("scrape-config", "--seed", "1").stdout)
    done = subprocess.run(["promtool", "check", "config", str(tmp_path / "prometheus.yml")], capture_output=True, text=True)
    assert done.returncode == 0 and "SUCCESS" in done.stdout


def test_promtool_makes_blocks_of_history(tmp_path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    done = manage(
        "history",
        "--seed",
        "1",
        "--start",
        "2026-11-18T01:00",
        "--end",
        "2026-11-18T04:00",
        "--output",
        str(tmp_path / "h.om"),
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(tmp_path / "h.om"), str(tmp_path / "tsdb")]
    done = subprocess.run(blocks, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(["promtool", "tsdb", "list", str(tmp_path / "tsdb")], capture_output=True, text=True).stdout
    samples = sum(int(line.split()[4]) for line in listed.splitlines()[1:])
    text = sum(not line.startswith("#") for line in (tmp_path / "h.om").read_text().splitlines())
    assert samples == text > 200_000


def test_a_wrong_time_is_one_line(tmp_path) -> None:
    done = manage("history", "--start", "2026-11-18T01:30", "--end", "2026-11-19", "--output", str(tmp_path / "h.om"))
    assert done.returncode == 2 and "01:00" in done.stderr and len(done.stderr.splitlines()) == 1
