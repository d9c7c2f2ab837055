"""A database of its own and the product's processes on it."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[3]
PROCESS = Path(__file__).with_name("process.py")
CASES = json.loads((ROOT / "tests/cases/expected.json").read_text())
START, END = CASES["plain"]["start"], CASES["plain"]["end"]
HOURS = range(START, END, 3600)
OVER = END + 130  # the source has settled beyond the last hour


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class Stage:
    """`url`: the database; `broker`: Celery's broker; `folder`: where the processes keep their files."""

    def __init__(self, url: str, broker: str, folder: Path) -> None:
        self.url, self.broker, self.folder = url, broker, folder
        self.more: dict[str, str] = {}
        self.running: list[subprocess.Popen] = []

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | self.more | {
            "FINOPS_DATA_DIR": str(self.folder / "data"), "DATABASE_URL": self.url, "SECRET_KEY": "faults-are-found-by-making-them-happen-on-purpose-0123",
            "REDIS_URL": self.broker, "DJANGO_SETTINGS_MODULE": "finops.settings",
        }  # fmt: skip

    def sql(self, query: str, *params: object) -> list[tuple]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(query, params)
            return cursor.fetchall() if cursor.description else []

    def source(self, cluster: str, kind: str, **spec: object) -> None:
        """Another source for a cluster, as the configuration would give it."""
        spec = {"match": {}, "headers": {}} | spec if kind == "prometheus" else spec
        self.sql("update finops_cluster set source = %s::jsonb where name = %s", json.dumps({kind: spec}), cluster)

    def start(self, do: str, *, cluster: str = "plain", now: float = OVER, **asked: object) -> subprocess.Popen:
        """A process that has begun; `asked` as process.py reads it."""
        words = [sys.executable, "-W", "ignore", str(PROCESS), json.dumps({"do": do, "cluster": cluster, "now": stamp(now)} | asked)]
        return self.launch(words)

    def launch(self, words: list[str], **options) -> subprocess.Popen:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process = subprocess.Popen(words, cwd=ROOT, env=self.environment, text=True, start_new_session=True, **pipes)
        self.running.append(process)
        return process

    def run(self, do: str, **asked: object) -> dict:
        """A process from its begin to its good end; what it found."""
        return finished(self.start(do, **asked))

    def turn(self, **asked: object) -> dict:
        return self.run("turn", **asked)

    def killed(self, do: str = "turn", **asked: object) -> None:
        """A process that one of its hooks kills."""
        process = self.start(do, **asked)
        process.communicate(timeout=30)
        assert process.returncode == -9

    def window(self, column: str, hour: int, cluster: str = "plain"):
        """One column of the `hour`-th window of the case."""
        query = f"select {column} from collection_window w join finops_cluster c on c.id = w.cluster_id where c.name = %s and start = %s"
        return self.sql(query, cluster, datetime.fromtimestamp(START + hour * 3600, UTC))[0][0]

    def states(self, cluster: str = "plain") -> dict[str, int]:
        """How many of the case's windows are in which state; the running hour beyond them is left aside."""
        return dict(self.sql(
            """select state, count(*) from collection_window w join finops_cluster c on c.id = w.cluster_id
               where c.name = %s and start < to_timestamp(%s) group by 1""", cluster, END))  # fmt: skip

    def close(self) -> None:
        """Ends what still runs, a worker with its pool: each leads a group of its own."""
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def finished(process: subprocess.Popen) -> dict:
    out, said = process.communicate(timeout=60)
    assert process.returncode == 0, said[-4000:]
    return json.loads(out.strip().split("\n")[-1])
