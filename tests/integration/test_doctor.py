"""The doctor in front of a real Prometheus, and of none."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = """\
kube_pod_container_resource_requests{{namespace="a",pod="p",uid="u",container="c",node="n",resource="nvidia_com_gpu",instance="1"}} 1 {t}
kube_pod_container_resource_requests{{namespace="a",pod="p",uid="u",container="c",node="n",resource="nvidia_com_gpu",instance="2"}} 1 {t}
kube_node_status_capacity{{node="n",resource="nvidia_com_gpu"}} 1 {t}
kube_pod_owner{{namespace="a",pod="p",uid="u",owner_kind="Job",owner_name="j"}} 1 {t}
kube_pod_container_state_started{{namespace="a",pod="p",uid="u",container="c"}} 1 {t}
kube_node_labels{{node="n",label_nvidia_com_gpu_product="A100"}} 1 {t}
kube_pod_labels{{namespace="a",pod="p",uid="u"{team}}} 1 {t}
DCGM_FI_DEV_GPU_UTIL{{UUID="GPU-1",Hostname="n",exported_pod="p",exported_namespace="a",pod="dcgm",namespace="gpu"}} 50 {t}
kube_resourceclaim_created{{namespace="a",resourceclaim="r"}} 1 {t}
# EOF
"""


def manage(data: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"FINOPS_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "finops.settings"}
    environment.pop("DATABASE_URL", None)
    return subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=180, check=False)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def configured(folder: Path, port: int, more: str = "") -> Path:
    file = folder / "config.yaml"
    file.write_text(f'clusters:\n  - {{name: eks, source: {{prometheus: {{url: "http://127.0.0.1:{port}"{more}}}}}}}\n'
                    "teams:\n  - {from_pod_label: example.com/team}\n")
    for arguments in (("migrate", "--verbosity", "0"), ("apply", str(file))):
        done = manage(folder / "data", *arguments)
        assert done.returncode == 0, done.stderr
    return folder / "data"


@pytest.fixture
def prometheus(tmp_path):
    """Starts a Prometheus over the text given; ends its own process only."""
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        pytest.skip("needs prometheus and promtool: apt-get install prometheus")
    running = []

    def start(text: str) -> int:
        port, blocks = free_port(), tmp_path / "blocks"
        (tmp_path / "m.om").write_text(text)
        (tmp_path / "p.yml").write_text("{}")
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", tmp_path / "m.om", blocks], check=True,
                       capture_output=True)
        running.append(subprocess.Popen(
            ["prometheus", f"--config.file={tmp_path / 'p.yml'}", f"--storage.tsdb.path={blocks}",
             f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=30d"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for _ in range(150):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=1).close()
                return port
            except OSError:
                time.sleep(0.1)
        raise AssertionError("prometheus did not become ready")

    yield start
    for process in running:
        process.terminate()
        process.wait(30)


def levels(done: subprocess.CompletedProcess) -> dict[str, str]:
    return {row["check"]: row["level"] for row in json.loads(done.stdout)}


def test_a_label_not_allow_listed_is_a_fault_with_the_line_that_mends_it(tmp_path, prometheus):
    data = configured(tmp_path, prometheus(TEXT.format(t=int(time.time()) - 20, team="")))
    done = manage(data, "doctor", "--format", "json")
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 1 and [c for c, row in rows.items() if row["level"] == "fault"] == ["kube_pod_labels"]
    assert rows["kube_pod_labels"]["mend"].startswith("kube-state-metrics: --metric-labels-allowlist=pods=[example.com/team,")
    shown = manage(data, "doctor").stdout
    assert "fault  eks  kube_pod_labels: no series bears example.com/team: not allow-listed" in shown
    assert "       mend: kube-state-metrics: --metric-labels-allowlist=" in shown
    (tmp_path / "shown.txt").write_text(shown)


def test_what_is_sound_noted_and_harmless_exits_with_0(tmp_path, prometheus):
    data = configured(tmp_path, prometheus(TEXT.format(t=int(time.time()) - 20, team=',label_example_com_team="x"')))
    done = manage(data, "doctor", "--cluster", "eks", "--format", "json")
    found = levels(done)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["doubled"], found["profiling"], found["pod label"], found["kube_pod_labels"]) == ("note", "note", "ok", "ok")
    assert found["claims"] == "note"
    assert "by exported_pod" in done.stdout and "1 requests appear twice" in done.stdout


def test_stale_series_and_a_wrong_matcher_are_faults(tmp_path, prometheus):
    port = prometheus(TEXT.format(t=int(time.time()) - 1500, team=""))
    found = levels(manage(configured(tmp_path, port), "doctor", "--format", "json"))
    assert (found["requests"], found["capacity"], found["utilisation"]) == ("fault", "fault", "fault")
    done = manage(configured(tmp_path, port, ", match: {cluster: nowhere}"), "doctor", "--format", "json")
    assert done.returncode == 1 and levels(done) == {"reachable": "ok", "match": "fault"}


def test_an_idle_cluster_is_no_fault_and_a_missing_dcgm_is(tmp_path, prometheus):
    text = TEXT.format(t=int(time.time()) - 20, team="").replace('"nvidia_com_gpu",instance', '"cpu",instance')
    found = levels(manage(configured(tmp_path, prometheus(text.replace("DCGM_FI_DEV_GPU_UTIL", "other"))), "doctor", "--format", "json"))
    assert (found["requests"], found["capacity"], found["dcgm"]) == ("note", "ok", "fault")


def test_an_unreachable_source_is_one_line(tmp_path):
    done = manage(configured(tmp_path, free_port()), "doctor")
    assert done.returncode == 1 and done.stdout.startswith("fault  eks  reachable: http://127.0.0.1:")
    assert "Traceback" not in done.stderr


def test_an_unknown_cluster_is_a_wrong_argument(tmp_path):
    done = manage(configured(tmp_path, free_port()), "doctor", "--cluster", "nope")
    assert done.returncode == 2 and "no cluster nope" in done.stderr
