"""Servers for the whole folder, a fresh copy of one prepared database for each test, and the undisturbed ledger."""

import itertools
from pathlib import Path

import pytest

from tests.integration.faults import oracle
from tests.integration.faults.servers import CLUSTERS, Servers, prepare, samples
from tests.integration.faults.stage import Stage

NUMBER = itertools.count()


@pytest.fixture(scope="session")
def dump(tmp_path_factory) -> Path:
    """A folder with one file of samples per cluster."""
    folder = tmp_path_factory.mktemp("dump")
    samples(folder)
    return folder


@pytest.fixture(scope="session")
def servers(tmp_path_factory, dump):
    running = Servers(tmp_path_factory.mktemp("servers"))
    try:
        prepare(running, dump=dump)
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def undisturbed(servers, tmp_path_factory) -> dict[str, list[tuple]]:
    """The ledger of each cluster where nothing happens."""
    stage = Stage(servers.make("undisturbed", like="prepared"), servers.broker, tmp_path_factory.mktemp("undisturbed"))
    for cluster in CLUSTERS:
        assert stage.turn(cluster=cluster) == {"problems": [], "waiting": 0}
    return {cluster: oracle.ledger(stage, cluster) for cluster in CLUSTERS}


@pytest.fixture
def stage(servers, tmp_path):
    name = f"stage{next(NUMBER)}"
    made = Stage(servers.make(name, like="prepared"), servers.broker, tmp_path)
    yield made
    made.close()
    servers.start()  # a test may have left one of them dead
    servers.drop(name)
