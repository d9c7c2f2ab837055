"""A real Prometheus with the small clusters of tests/cases."""

import gzip
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[1] / "cases"


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=1) as answer:
            return answer.status == 200
    except (OSError, urllib.error.HTTPError):
        return False


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory):
    """The URL of a Prometheus that holds all cases."""
    if not (shutil.which("promtool") and shutil.which("prometheus")):
        pytest.skip("promtool and prometheus are missing: apt-get install prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "metrics.om").write_bytes(gzip.decompress((CASES / "metrics.om.gz").read_bytes()))
    (folder / "prometheus.yml").write_text("{}\n")
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", "metrics.om", "tsdb"]
    subprocess.run(blocks, cwd=folder, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb",
             "--storage.tsdb.retention.time=50y", f"--web.listen-address={address}"],
            cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while not ready(f"http://{address}"):
            assert server.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
            time.sleep(0.1)
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait(timeout=30)
