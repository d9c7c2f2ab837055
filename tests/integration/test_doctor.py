"""The doctor in front of a real Prometheus, and of none."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.exposition import healthy, text
from tests.prometheus_server import free_port, needed, serving

ROOT = Path(__file__).parents[2]
def manage(data: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"FINOPS_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "finops.settings"}
    environment.pop("DATABASE_URL", None)
    return subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=180, check=False)


def configured(folder: Path, url: str, name: str) -> Path:
    file = folder / "config.yaml"
    file.write_text(f'clusters:\n  - {{name: {name}, source: {{prometheus: {{url: "{url}", match: {{cluster: {name}}}}}}}}}\n'
                    "teams:\n  - {from_pod_label: example.com/team}\n")
    for arguments in (("migrate", "--verbosity", "0"), ("apply", str(file))):
        done = manage(folder / "data", *arguments)
        assert done.returncode == 0, done.stderr
    return folder / "data"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A Prometheus with one sound cluster, and the same without labels of pods."""
    now = float(int(time.time()))
    rows = healthy(start=now - 1200, end=now - 15)
    clusters = {"sound": rows, "unlabelled": [row for row in rows if row.name != "kube_pod_labels"]}
    with serving(text(clusters), tmp_path_factory.mktemp("prometheus")) as address:
        yield address


@needed
def test_a_fault_exits_with_1_and_shows_the_line_that_mends_it(tmp_path, url):
    data = configured(tmp_path, url, "unlabelled")
    done = manage(data, "doctor", "--format", "json")
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 1 and [c for c, row in rows.items() if row["level"] == "fault"] == ["kube_pod_labels"]
    assert list(rows["kube_pod_labels"]) == ["cluster", "level", "check", "message", "cost", "mend"]
    assert rows["kube_pod_labels"]["mend"].startswith("kube-state-metrics: --metric-labels-allowlist=pods=[example.com/team,")
    shown = manage(data, "doctor").stdout
    assert "fault  unlabelled  kube_pod_labels: no series bears example.com/team: not allow-listed" in shown
    assert "       mend: kube-state-metrics: --metric-labels-allowlist=" in shown
    assert "       costs: pods whose team it tells become unassigned" in shown


@needed
def test_what_is_sound_exits_with_0_and_tells_its_load(tmp_path, url):
    done = manage(configured(tmp_path, url, "sound"), "doctor", "--cluster", "sound")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok     sound  pod label: device series name 2 of 2 pods that hold GPUs, by exported_pod" in done.stdout
    assert "warn   sound  rates: no rate in force matches NVIDIA A100-SXM4-40GB, on-demand" in done.stdout
    assert " questions, 52 series read" in done.stdout.splitlines()[-1]


def test_an_unreachable_source_is_one_line(tmp_path):
    done = manage(configured(tmp_path, f"http://127.0.0.1:{free_port()}", "eks"), "doctor")
    assert done.returncode == 1 and done.stdout.startswith("fault  eks  reachable: http://127.0.0.1:")
    assert "Traceback" not in done.stderr


def test_an_unknown_cluster_is_a_wrong_argument(tmp_path):
    done = manage(configured(tmp_path, f"http://127.0.0.1:{free_port()}", "eks"), "doctor", "--cluster", "nope")
    assert done.returncode == 2 and "no cluster nope" in done.stderr
