"""The demo company behind the pages: its live exporters, and its older history while that is not complete."""

import contextlib
import random
import socket
from pathlib import Path

from children import Children

HISTORY, ALL_DAYS = "the demo's history", "70"
# Below the ports that systems hand out to outgoing connections, so that the kept port is free at the next start too.
PORTS = range(20000, 32000)


class Demo:
    def __init__(self, children: Children, *, data_dir: Path) -> None:
        self._children = children
        self._complete = data_dir / "demo-history-complete"
        self.port = _kept_port(data_dir / "simulator-port")

    def start(self) -> None:
        self._children.start("the demo's exporters", "manage.py", "simulate", "serve", "--port", str(self.port))
        if not self._complete.exists():
            self._children.start(HISTORY, "manage.py", "simulate", "load", "--days", ALL_DAYS, "--port", str(self.port))

    def went_on(self) -> None:
        """Notes the history's end, so that the next start need not ask for it again."""
        if self._children.ended(HISTORY):
            self._complete.touch()


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
