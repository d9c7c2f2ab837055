"""Under which uid the servers run, since PostgreSQL refuses root."""

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from finops.embedded.folders import EmbeddedError

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


def identity(data_dir: Path, *, probe: Path) -> tuple[list[str], dict[str, Any]]:
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


def _as_another(data_dir: Path, *, probe: Path) -> tuple[list[str], dict[str, Any]]:
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
                f"PostgreSQL does not run as root, and uid {uid} may not reach {needed}: start as an ordinary user, or set DATABASE_URL"
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


def _works(command: list[str], *, options: dict[str, Any]) -> bool:
    try:
        return not subprocess.run(command, capture_output=True, cwd="/", **options).returncode
    except OSError:
        return False


def _named(uid: int) -> bool:
    return any(entry.pw_uid == uid for entry in pwd.getpwall())
