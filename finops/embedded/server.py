"""One server's process: start it, stop it, tell whether it lives."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from finops.embedded.folders import EmbeddedError, socket_folder
from finops.embedded.identity import identity

FAILING, SILENT = 10.0, 60.0  # seconds: how long a server may keep dying, or keep silent

children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class Server:
    """One server on one data folder; `command` and `answers` take the socket folder."""

    name: str
    binary: Path
    data_dir: Path
    pid_file: Path
    command: Callable[[Path], list[str]]
    answers: Callable[[Path], bool]
    clear: Callable[[Path], None]  # what a dead server left that would stop the next

    @property
    def folder(self) -> Path:
        return self.data_dir / self.name

    @property
    def log(self) -> Path:
        return self.data_dir / f"{self.name}.log"


def running(server: Server) -> Path:
    """The socket folder of the server, once it answers."""
    begun = time.monotonic()
    while not ((alive := _alive(server)) and server.answers(socket_folder(server.data_dir))):
        waited = time.monotonic() - begun
        if waited > (SILENT if alive else FAILING):
            raise EmbeddedError(f"{server.binary.name} {_complaint(server)}")
        if not alive:
            _start(server)
        time.sleep(0.05)
    return socket_folder(server.data_dir)


def _start(server: Server) -> None:
    """Launch the server and wait until it wrote its pid or died."""
    prefix, options = identity(server.data_dir, probe=server.binary)
    sockets = socket_folder(server.data_dir)
    server.clear(sockets)
    with open(server.log, "ab") as log:
        child = subprocess.Popen(
            prefix + server.command(sockets), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, cwd="/", **options,
        )  # fmt: skip
    children[child.pid] = child
    deadline = time.monotonic() + SILENT
    try:
        while not _alive(server) and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    except BaseException:  # interrupted before it had written its pid: nobody else would find it
        child.send_signal(signal.SIGINT)
        child.wait(SILENT)
        raise
    if child.returncode is not None:
        time.sleep(0.5)


def stop(server: Server) -> None:
    """SIGINT: PostgreSQL's fast shutdown, and an orderly one for Valkey."""
    pid = _pid(server)
    if pid is None or not _alive(server):
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + SILENT
    while _lives(server, pid) and time.monotonic() < deadline:  # it drops its pid file some time before it ends
        time.sleep(0.02)


def _complaint(server: Server) -> str:
    if _alive(server):
        return f"runs as process {_pid(server)} but does not answer: see {server.log}"
    lines = [line for line in server.log.read_text(errors="replace").splitlines() if line.strip()]
    return f"does not start: {lines[-1] if lines else 'it says nothing'} (see {server.log})"


def _pid(server: Server) -> int | None:
    try:
        return int(server.pid_file.read_text().split("\n")[0])
    except (OSError, ValueError):
        return None


def _alive(server: Server) -> bool:
    pid = _pid(server)
    return pid is not None and pid > 0 and _lives(server, pid)


def _lives(server: Server, pid: int) -> bool:
    """Whether the process is this server's program, at work in its folder, and no zombie."""
    if pid in children:
        children[pid].poll()
    if not os.path.exists("/proc/self/stat"):
        return _alive_by_ps(pid, program=server.binary.name)
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(") ")
        at_home = os.path.samefile(f"/proc/{pid}/cwd", server.folder)
    except OSError:
        return False
    return name == server.binary.name and rest[0] not in "ZX" and at_home


def _alive_by_ps(pid: int, *, program: str) -> bool:
    """Where there is no /proc (macOS)."""
    ask = ["ps", "-o", "stat=,comm=", "-p", str(pid)]
    state, _, command = subprocess.run(ask, capture_output=True, text=True).stdout.partition(" ")
    return bool(state) and state[0] != "Z" and os.path.basename(command.strip()) == program
