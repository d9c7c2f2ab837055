"""PostgreSQL and Valkey that may be killed and started again, with one prepared database to copy."""

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.integration.faults.stage import PROCESS, ROOT, Stage, finished

CLUSTERS = ("plain", "completed_pods_linger")
KEEPER = """
import json, sys
from pathlib import Path
from finops import embedded
folder = Path(sys.argv[1])
for line in sys.stdin:
    print(json.dumps([embedded.postgres_url(folder), embedded.redis_urls(folder)[1].replace("db=1", "db=0")]), flush=True)
"""


class Servers:
    """`url`, `broker`: where they are. A process of their own keeps them, and takes them along when it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        words = [sys.executable, "-c", KEEPER, str(folder)]
        self.keeper = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.start()

    def start(self) -> None:
        """Starts what does not run."""
        self.keeper.stdin.write("start\n")
        self.keeper.stdin.flush()
        self.url, self.broker = json.loads(self.keeper.stdout.readline())

    def stop(self) -> None:
        sockets = (self.folder / "socket-folder").read_text()
        self.keeper.communicate(timeout=30)
        shutil.rmtree(sockets, ignore_errors=True)

    def pid(self, server: str) -> int:
        """Of `postgres` or `valkey`."""
        note = {"postgres": "postgres/postmaster.pid", "valkey": "valkey.pid"}[server]
        return int((self.folder / note).read_text().split("\n")[0])

    def make(self, name: str, *, like: str | None) -> str:
        """The URL of a new database, a copy of `like`."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create database {name}" + (f" template {like}" if like else ""))
        return self.url.replace("/finops?", f"/{name}?")

    def drop(self, name: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"drop database if exists {name} with (force)")


def samples(folder: Path) -> None:
    """The samples of each cluster as a file, labelled as in Prometheus."""
    lines = gzip.decompress((ROOT / "tests/cases/metrics.om.gz").read_bytes()).decode().split("\n")
    for name in CLUSTERS:
        (folder / f"{name}.om").write_text("\n".join(line for line in lines if f'cluster="{name}"' in line))


def prepare(servers: Servers, *, dump: Path) -> None:
    """The database `prepared`: migrated, with its clusters, a price and a rule."""
    stage = Stage(servers.make("prepared", like=None), servers.broker, servers.folder)
    clusters = {name: {"openmetrics": {"path": str(dump / f"{name}.om")}} for name in CLUSTERS}
    finished(stage.launch([sys.executable, "-W", "ignore", str(PROCESS), json.dumps({"do": "configure", "clusters": clusters})]))
