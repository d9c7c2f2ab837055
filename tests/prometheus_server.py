"""A real Prometheus over an OpenMetrics text, on a free port of loopback."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needed = pytest.mark.skipif(
    not (shutil.which("promtool") and shutil.which("prometheus")),
    reason="promtool and prometheus are missing: apt-get install prometheus",
)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=1) as answer:
            return answer.status == 200
    except (OSError, urllib.error.HTTPError):
        return False


@contextmanager
def serving(text: str, folder: Path) -> Iterator[str]:
    """The URL of a server that holds the samples of `text`; its own process only is ended."""
    (folder / "metrics.om").write_text(text)
    (folder / "prometheus.yml").write_text("{}\n")
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", "metrics.om", "tsdb"]
    subprocess.run(blocks, cwd=folder, check=True, capture_output=True)
    url = f"http://127.0.0.1:{free_port()}"
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--storage.tsdb.retention.time=50y",
             f"--web.listen-address={url.removeprefix('http://')}"],
            cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while not ready(url):
            assert server.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)
