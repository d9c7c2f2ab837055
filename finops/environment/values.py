"""One variable's text as a value, or one line that names the variable and the cure."""

import re
from pathlib import Path

FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
SHORTEST_KEY = 32  # characters; 128 bits even where each is a hexadecimal digit


class Wrong(ValueError):
    """A variable no start can work with; the message is the one line a person sees."""


def flag(text: str, *, name: str) -> bool:
    try:
        return FLAGS[text.lower()]
    except KeyError:
        raise Wrong(f"{name}: {text!r} is neither true nor false") from None


def listed(text: str) -> tuple[str, ...]:
    """The parts between commas; empty ones are left out."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def folder(text: str, *, name: str, root: Path) -> Path:
    """A folder that is there or may be made; relative to `root`, so that every process means the same one."""
    path = (root / text).resolve()
    if path.exists() and not path.is_dir():
        raise Wrong(f"{name}: {path} is a file; name a folder")
    return path


def file(text: str, *, name: str, root: Path) -> Path:
    """A file that is there; relative to `root`."""
    path = (root / text).resolve()
    if not path.is_file():
        raise Wrong(f"{name}: there is no file {path}; mend the path or unset {name}")
    return path


def secret_key(text: str, *, name: str) -> str:
    if len(text) < SHORTEST_KEY or len(set(text)) < 5:
        raise Wrong(f"{name}: too easily guessed; give at least {SHORTEST_KEY} random characters, or unset it to have one made")
    return text


def base_path(text: str, *, name: str) -> str:
    """`/prefix` without a slash at its end; `""` for none."""
    path = "/" + text.strip("/")
    if not re.fullmatch(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+|/", path):
        raise Wrong(f"{name}: {text!r} is no path; write it like /gpu-costs")
    return path.rstrip("/")
