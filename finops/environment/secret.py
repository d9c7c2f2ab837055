"""The secret key of an installation that was given none."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def kept(path: Path) -> str:
    """The key in the file, made where there is none. Of two that make it at once, both read the same one."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_text()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, draft = tempfile.mkstemp(prefix=path.name, dir=path.parent)  # its owner's alone, and nobody else's name
    with open(number, "w") as file:
        file.write(secrets.token_urlsafe(50))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)
    return path.read_text()
