"""The secret key of an installation that was given none."""

import contextlib
import os
import secrets
from pathlib import Path


def kept(path: Path) -> str:
    """The key in the file, made where there is none. Of two that make it at once, both read the same one."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_text()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(50))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    return path.read_text()
