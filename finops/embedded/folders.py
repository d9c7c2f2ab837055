"""The data folder, the socket folder and the packages' folders; and whose they are."""

import contextlib
import hashlib
import importlib.util
import os
import stat
import tempfile
from pathlib import Path

SOCKET_PATH_LIMIT = 103  # bytes; 107 on Linux, 103 on macOS
POSTGRES_SOCKET = ".s.PGSQL.5432"


class EmbeddedError(Exception):
    """An embedded server cannot run; the message is one clear line."""


def prepared(data_dir: Path) -> Path:
    """The absolute data folder, made if need be, and ours."""
    folder = Path(data_dir).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"cannot make the data folder {folder}: {error.strerror}") from error
    if os.geteuid() not in (0, folder.stat().st_uid):
        raise EmbeddedError(f"{folder} belongs to another user: set FINOPS_DATA_DIR to your own")
    return folder


def socket_folder(data_dir: Path) -> Path:
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
    give(folder, like=data_dir)
    if not _private(folder, owner=owner):
        raise EmbeddedError(f"{folder} is not a private folder of uid {owner}: remove it")
    note.write_text(str(folder))
    return folder


def _private(folder: Path, *, owner: int) -> bool:
    seen = folder.lstat()
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == owner and not seen.st_mode & 0o077


def give(path: Path, *, like: Path) -> None:
    """Hand what root made to the owner of `like`; never what was another's."""
    owner = like.stat()
    if path.lstat().st_uid == os.geteuid() != owner.st_uid:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(name)
    if found is None or not found.origin:
        raise EmbeddedError(
            f"the package {name.replace('_', '-')} is missing: pip install -r"
            " deploy/requirements-embedded.txt, or set DATABASE_URL and REDIS_URL"
        )
    return Path(found.origin).parent
