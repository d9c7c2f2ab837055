"""The demo company behind the pages: its live exporters, and its older history while that is not complete."""

import contextlib
import random
import socket
from pathlib import Path

from children import Children

HISTORY, PAUSE_DAYS, ALL_DAYS = "the demo's history", "8", "70"
# Below the ports that systems hand out to outgoing connections, so that the kept port is free at the next start too.
PORTS = range(20000, 32000)


class Demo:
    def __init__(self, children: Children, *, data_dir: Path) -> None:
        self._children = children
        self._complete = data_dir / "demo-history-complete"
        self.port = _kept_port(data_dir / "simulator-port")
        self._loading: str | None = None
        self._to_load: list[str] = []

    def start(self, *, fresh: bool) -> None:
        """Behind the pages, one after the other: the pause since the last start, then what is left of the older history."""
        self._to_load = ([] if fresh else [PAUSE_DAYS]) + ([] if self._complete.exists() else [ALL_DAYS])
        self._children.start("the demo's exporters", "manage.py", "simulate", "serve", "--port", str(self.port))
        self.go_on()

    def go_on(self) -> None:
        """Loads what comes next, and notes the history's end, so that no later start asks for it again."""
        if self._loading and not self._children.ended(HISTORY):
            return
        if self._loading == ALL_DAYS:
            self._complete.touch()
        self._loading = self._to_load.pop(0) if self._to_load else None
        if self._loading:
            self._children.start(HISTORY, "manage.py", "simulate", "load", "--days", self._loading, "--port", str(self.port))


def _kept_port(path: Path) -> int:
    """The same at each start while it is free: the demo cluster's configuration names it, and follows where it is not."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        if _free(kept := int(path.read_text())):
            return kept
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
