"""Servers for the whole folder, a fresh copy of one prepared database for each test, and the undisturbed ledger."""

import gzip
import itertools
import json
import shutil
import sys
from pathlib import Path

import psycopg
import pytest

from finops import embedded
from tests.integration.faults import oracle
from tests.integration.faults.stage import PROCESS, ROOT, Stage, finished

NUMBER = itertools.count()


class Servers:
    """The embedded servers of these tests, which may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.start()

    def start(self) -> None:
        self.url = embedded.postgres_url(self.folder)
        self.broker, self.cache = embedded.redis_urls(self.folder)

    def pid(self, server: str) -> int:
        """Of `postgres` or `valkey`."""
        note = {"postgres": "postgres/postmaster.pid", "valkey": "valkey.pid"}[server]
        return int((self.folder / note).read_text().split("\n")[0])

    def database(self, name: str) -> str:
        return self.url.replace("/finops?", f"/{name}?")

    def make(self, name: str, *, like: str | None) -> str:
        """The URL of a new database, a copy of `like`."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create database {name}" + (f" template {like}" if like else ""))
        return self.database(name)

    def drop(self, name: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"drop database if exists {name} with (force)")


@pytest.fixture(scope="session")
def dump(tmp_path_factory) -> Path:
    """The samples of one case as a file, labelled as in Prometheus."""
    folder = tmp_path_factory.mktemp("dump")
    lines = gzip.decompress((ROOT / "tests/cases/metrics.om.gz").read_bytes()).decode().split("\n")
    for name in ("plain", "completed_pods_linger"):
        (folder / f"{name}.om").write_text("\n".join(line for line in lines if f'cluster="{name}"' in line))
    return folder


@pytest.fixture(scope="session")
def servers(tmp_path_factory, dump):
    folder = tmp_path_factory.mktemp("servers")
    running = Servers(folder)
    prepared = Stage(running.make("prepared", like=None), running.broker, folder)
    clusters = {name: {"openmetrics": {"path": str(dump / f"{name}.om")}} for name in ("plain", "completed_pods_linger")}
    words = [sys.executable, "-W", "ignore", str(PROCESS), json.dumps({"do": "configure", "clusters": clusters})]
    finished(prepared.launch(words))
    yield running
    embedded.release()
    shutil.rmtree((folder / "socket-folder").read_text(), ignore_errors=True)


@pytest.fixture(scope="session")
def undisturbed(servers, tmp_path_factory) -> dict[str, list[tuple]]:
    """The ledger of each cluster where nothing happens."""
    stage = Stage(servers.make("undisturbed", like="prepared"), servers.broker, tmp_path_factory.mktemp("undisturbed"))
    for cluster in ("plain", "completed_pods_linger"):
        assert stage.turn(cluster=cluster) == {"problems": [], "waiting": 0}
    return {cluster: oracle.ledger(stage, cluster) for cluster in ("plain", "completed_pods_linger")}


@pytest.fixture
def stage(servers, tmp_path):
    name = f"stage{next(NUMBER)}"
    made = Stage(servers.make(name, like="prepared"), servers.broker, tmp_path)
    yield made
    made.close()
    servers.start()  # a test may have left one of them dead
    servers.drop(name)
