"""Answers that are wrong, cut short or too big are refused whole, told with address and question, and asked for again."""

import json
import shutil
import socket
import subprocess
import time

import pytest

from tests.hostile import hostile
from tests.integration.conftest import ready
from tests.integration.faults.oracle import assert_nothing_half, assert_undisturbed
from tests.integration.faults.stage import OVER, START
from tests.integration.faults.witness import Witness, changed

ASKED = "kube_pod_container_resource_requests"


def series(body: dict) -> list[dict]:
    return body["data"]["result"]


def warn(body: dict) -> None:
    body["warnings"] = ["store-3 did not answer"]


def value(text: str):
    """Every sample's value is `text`."""

    def change(body: dict) -> None:
        for one in series(body):
            one["values"] = [[at, text] for at, _ in one["values"]]

    return change


def fat_uid(body: dict) -> None:
    series(body)[0]["metric"]["uid"] = "x" * 10_000_000


LIES = {
    "partial": (lambda a: changed(a, warn), "partial answer: ['store-3 did not answer']"),
    "cut short": (lambda a: (200, a[1], a[2][: len(a[2]) // 2]), "not JSON, or was cut short"),
    "broken off": (lambda a: (200, {"Content-Length": str(len(a[2]) + 1)}, a[2]), "broke off"),
    "not json": (lambda a: (200, a[1], b"<html>please log in</html>"), "a web page instead of JSON"),
    "no number": (lambda a: changed(a, value("many")), "malformed point"),
    "a label of 10 MB": (lambda a: changed(a, fat_uid), "answered 400"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused(lie: str, prometheus, stage, undisturbed) -> None:
    tamper, said = LIES[lie]
    witness = Witness(prometheus)
    with hostile(witness) as server:
        stage.source("plain", "prometheus", url=server.url, match={"cluster": "plain"})
        stage.sql("update finops_cluster set first_hour = to_timestamp(%s) where name = 'plain'", START + 6 * 3600)
        witness.lie = lambda query, answer: tamper(answer) if query.startswith(ASKED) else None
        problems = stage.turn()["problems"]
        assert said in problems[0]
        assert server.url in problems[0]
        assert "label" in lie or ASKED in problems[0]  # the long one is sent back in a question of its own
        assert "done" not in stage.states()
        assert_nothing_half(stage)
        witness.lie = lambda query, answer: None
        stage.sql("update finops_cluster set first_hour = to_timestamp(%s) where name = 'plain'", START)
        assert stage.turn(now=OVER + 120) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def junk_between(answer: tuple[int, dict, bytes]) -> tuple[int, dict, bytes]:
    """The same samples, with every series twice and a NaN and an Inf of its own beside it."""
    body = json.loads(answer[2])
    for one in list(series(body)) if body["data"]["resultType"] == "matrix" else ():
        at = [t for t, _ in one["values"]]
        series(body).append(json.loads(json.dumps(one)))
        series(body).append({"metric": one["metric"] | {"replica": "b"}, "values": [[at[0], "NaN"], [at[-1], "+Inf"]]})
    return answer[0], answer[1], json.dumps(body).encode()


def test_nan_infinity_and_doubles_change_nothing(prometheus, stage, undisturbed) -> None:
    witness = Witness(prometheus)
    witness.lie = lambda query, answer: junk_between(answer) if "GPU_UTIL" in query and answer[0] == 200 else None
    with hostile(witness) as server:
        stage.source("plain", "prometheus", url=server.url, match={"cluster": "plain"})
        assert stage.turn() == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


@pytest.fixture
def narrow(dump, tmp_path):
    """A Prometheus that loads few samples per question: its URL, and the log of its start."""
    if not (shutil.which("promtool") and shutil.which("prometheus")):
        pytest.skip("promtool and prometheus are missing: apt-get install prometheus")
    (tmp_path / "metrics.om").write_text((dump / "plain.om").read_text().rstrip("\n").removesuffix("# EOF").rstrip("\n") + "\n# EOF\n")
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", "metrics.om", "tsdb"], cwd=tmp_path, check=True)
    (tmp_path / "prometheus.yml").write_text("{}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    words = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--storage.tsdb.retention.time=50y",
             f"--web.listen-address={address}", "--query.max-samples=200"]  # fmt: skip
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(words, cwd=tmp_path, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 20
        while not ready(f"http://{address}"):
            assert server.poll() is None and time.monotonic() < deadline, (tmp_path / "log").read_text()[-2000:]
            time.sleep(0.1)
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_questions_that_are_too_big_are_cut(narrow, stage, undisturbed) -> None:
    stage.source("plain", "prometheus", url=narrow, match={"cluster": "plain"})
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert stage.window("questions", 5) >= 10  # its share of what six hours took together; 6 where none is cut
    assert_undisturbed(stage, undisturbed["plain"])
