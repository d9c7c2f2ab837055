"""Who uses which server: a shared lock for each user, and one at a time comes or goes."""

import atexit
import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from finops.embedded.folders import give
from finops.embedded.server import Server, children, running, stop

_held: dict[tuple[str, Path], tuple[Server, int]] = {}
_owner_pid = os.getpid()


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
    children.clear()
    for key, (server, inherited) in list(_held.items()):
        _held[key] = server, _lock(server.data_dir / f"{server.name}.users", fcntl.LOCK_SH)
        os.close(inherited)


atexit.register(release)
os.register_at_fork(after_in_child=_retake)


def join(server: Server) -> Path:
    key = server.name, server.data_dir
    with _exclusive(server):
        fresh = key not in _held
        if fresh:
            users = _lock(server.data_dir / f"{server.name}.users", fcntl.LOCK_SH)
            _held[key] = server, users
        try:
            return running(server)
        except BaseException:
            if fresh:
                del _held[key]
                _drop(server, users)
            raise


def _leave(server: Server, users: int) -> None:
    with _exclusive(server):
        _drop(server, users)


def _drop(server: Server, users: int) -> None:
    """Within `_exclusive`; also for a user that was interrupted while the server came up."""
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stop(server)
    os.close(users)


def _lock(path: Path, kind: int) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    give(path, like=path.parent)
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
