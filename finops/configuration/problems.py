"""What is wrong with a configuration file: one line per error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One error: the line it stands on (from 1), the path (``rates[2].price``) and the cure."""

    line: int
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"line {self.line}: {where}{self.message}"


class Invalid(Exception):
    """A file with at least one error; ``errors`` holds all of them in file order."""

    def __init__(self, errors: Iterable[Problem]) -> None:
        self.errors: list[Problem] = sorted(errors)
        super().__init__("\n".join(map(str, self.errors)))


def shown(text: str) -> str:
    """Text quoted for a message: always one line, never longer than 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def suggestion(text: str, known: Sequence[str]) -> str:
    """`` did you mean 'x'?`` with a leading ``;``, or nothing."""
    close = difflib.get_close_matches(text.lower(), [k.lower() for k in known], n=1)
    best = next((k for k in known if close and k.lower() == close[0]), None)
    return f"; did you mean {best!r}?" if best else ""
