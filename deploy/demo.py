"""The demo company behind `make run`: its history, its live exporters, its log-ins."""

import contextlib
import random
import socket
from pathlib import Path

import psycopg
from children import Children

HISTORY = "the demo's history"
FIRST_DAYS, ALL_DAYS = "8", "70"
# Below the ports that systems hand out to outgoing connections, so that the kept port is free at the next start too.
PORTS = range(20000, 32000)


class Demo:
    """Steps in the order of a start: `load`, `serve`, `went_on` until it is all there."""

    def __init__(self, children: Children, *, data_dir: Path, database_url: str) -> None:
        self._children = children
        self._complete = data_dir / "demo-history-complete"
        self._port_file = data_dir / "simulator-port"
        self._url = database_url

    def load(self) -> bool:
        """Fills an empty database, or the pause since the last start; whether there is a demo cluster."""
        clusters = self._clusters()
        if clusters and "demo" not in clusters:
            return False
        self._port = _kept_port(self._port_file)
        self._children.manage("simulate", "load", "--days", FIRST_DAYS, "--port", str(self._port))
        return "demo" in self._clusters()

    def serve(self) -> None:
        """The live exporters, and behind them the older history until it is complete."""
        if _free(self._port):
            self._children.start("the demo's exporters", "manage.py", "simulate", "serve", "--port", str(self._port))
        else:
            print(f"run: port {self._port} is taken, so the demo cluster stands still; end what listens there", flush=True)
        if not self._complete.exists():
            self._children.start(HISTORY, "manage.py", "simulate", "load", "--days", ALL_DAYS, "--port", str(self._port))

    def went_on(self) -> None:
        """Notes the history's end, so that the next start need not ask for it again."""
        if self._children.ended(HISTORY):
            self._complete.touch()

    def _clusters(self) -> set[str]:
        """Those in force; an ended one counts only as a sign that the database is not empty."""
        with psycopg.connect(self._url) as connection:
            rows = connection.execute("select name, ended_at is null from finops_cluster").fetchall()
        return {name if in_force else f"{name} (ended)" for name, in_force in rows}


def _kept_port(path: Path) -> int:
    """Chosen once, since the demo cluster's configuration names it."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        return int(path.read_text())
    port = next(port for port in random.sample(PORTS, len(PORTS)) if _free(port))
    path.write_text(str(port))
    return port


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return True
    return False
