"""A fresh installation of its own: embedded servers, web and worker as processes, and a Prometheus that holds the last hours."""

import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "tests/cases"
END = 1792929600  # of the cases
LINE = re.compile(r"(\w+)(\{.*\}) (\S+) (\d+)")
INSTANTS = ("kube_node_created", "kube_pod_created", "kube_pod_start_time", "kube_pod_status_scheduled_time",
            "kube_pod_container_state_started", "kube_pod_completion_time")  # fmt: skip
PASSWORD = "first-run-of-three"
BROKER = """
import sys
from pathlib import Path
from finops import embedded
print(embedded.redis_urls(Path(sys.argv[1]))[0], flush=True)
sys.stdin.read()
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(holds: Callable[[], object], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} after {seconds} s"
        time.sleep(0.2)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except (OSError, urllib.error.HTTPError):
        return False


def shifted(text: str, by: int) -> str:
    """The same samples, later; values that are instants move along."""
    lines = []
    for line in text.split("\n"):
        if found := LINE.fullmatch(line):
            name, labels, value, at = found.groups()
            value = str(float(value) + by) if name in INSTANTS else value
            line = f"{name}{labels} {value} {int(at) + by}"
        lines.append(line)
    return "\n".join(lines)


@pytest.fixture(scope="session")
def recent_prometheus(tmp_path_factory) -> Iterator[str]:
    """The cases as if their twelve hours ended now; → the server's address."""
    if not (shutil.which("promtool") and shutil.which("prometheus")):
        pytest.skip("promtool and prometheus are missing: apt-get install prometheus")
    folder, url = tmp_path_factory.mktemp("prometheus"), f"http://127.0.0.1:{free_port()}"
    text = gzip.decompress((CASES / "metrics.om.gz").read_bytes()).decode()
    (folder / "metrics.om").write_text(shifted(text, int(time.time()) - END))
    (folder / "prometheus.yml").write_text("{}\n")
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", "metrics.om", "tsdb"]
    subprocess.run(blocks, cwd=folder, check=True, capture_output=True)
    command = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--storage.tsdb.retention.time=50y",
               f"--web.listen-address={url.removeprefix('http://')}"]  # fmt: skip
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(f"{url}/-/ready"), seconds=30, what="Prometheus is not ready")
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


class Installation:
    """Processes on a data folder; each is ended by its own handle."""

    def __init__(self, folder: Path) -> None:
        self.url, self.folder, self.children = f"http://127.0.0.1:{free_port()}", folder, []
        self.environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")}
        self.environment |= {"FINOPS_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT)}

    def manage(self, *words: str) -> None:
        subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=self.environment, check=True, capture_output=True, timeout=120)

    def start(self, name: str, *words: str, **options) -> subprocess.Popen:
        with (self.folder / f"{name}.log").open("w") as log:
            self.children.append(subprocess.Popen([sys.executable, *words], cwd=ROOT, env=self.environment, stderr=log, **options))
        return self.children[-1]

    def begin(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        self.manage("create-admin", "--username", "ada", "--password", PASSWORD)
        broker = self.start("broker", "-c", BROKER, str(self.folder / "data"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.environment["CELERY_BROKER_URL"] = broker.stdout.readline().strip()
        bind = self.url.removeprefix("http://")
        self.start("web", "-m", "gunicorn", "finops.wsgi", "--bind", bind, "--workers", "1", stdout=subprocess.DEVNULL)
        until(lambda: answers(f"{self.url}/healthz"), seconds=60, what="the web server does not answer")

    def start_worker(self) -> None:
        self.start("worker", "-m", "celery", "-A", "finops", "worker", "-c", "2", "--loglevel", "WARNING", stdout=subprocess.DEVNULL)

    def end(self) -> None:
        for child in reversed(self.children):
            if child.stdin:
                child.stdin.close()
            else:
                child.terminate()
            child.wait(timeout=60)
            if child.stdout:
                child.stdout.close()


@pytest.fixture
def installation(tmp_path) -> Iterator[Installation]:
    found = Installation(tmp_path)
    try:
        found.begin()
        yield found
    finally:
        found.end()
        shutil.rmtree(Path((tmp_path / "data/socket-folder").read_text()), ignore_errors=True)
