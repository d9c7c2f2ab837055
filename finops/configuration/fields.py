"""Reading a mapping key by key: errors are collected with line and path, reading goes on.

After an error a reader hands back its fallback; the caller's object is then thrown away with the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TypeVar

from . import document, values
from .problems import Problem, suggestion

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Place:
    """A node and where it stands."""

    node: document.Node
    path: str
    problems: list[Problem]

    def refuse(self, message: str, line: int | None = None) -> None:
        """Add an error; on the node's own line unless told."""
        self.problems.append(Problem(line or self.node.line, self.path, message))

    def read(self, convert: Callable[[str], T]) -> T | None:
        """The scalar converted, or None after an error."""
        if not isinstance(self.node, document.Scalar):
            self.refuse("must be a single value, not a list or a mapping")
            return None
        try:
            return convert(values.word(self.node.text) if not self.node.text else self.node.text)
        except ValueError as error:
            self.refuse(str(error))
            return None

    def items(self) -> Iterator[Place]:
        """The places of a list; an error if it is none."""
        if not isinstance(self.node, document.Sequence):
            self.refuse("must be a list; write [] for an empty one")
            return
        for number, node in enumerate(self.node.items):
            yield Place(node, f"{self.path}[{number}]", self.problems)

    def entries(self) -> Iterator[tuple[str, Place]]:
        """Keys and places of a mapping; an error if it is none."""
        if not isinstance(self.node, document.Mapping):
            self.refuse('must be a mapping, like "key: value"')
            return
        for key, node in self.node.entries.items():
            yield key, Place(node, document.joined(self.path, key), self.problems)

    def list_of(self, convert: Callable[[str], T]) -> tuple[T, ...]:
        """Every scalar of a list, converted."""
        found = (item.read(convert) for item in self.items())
        return tuple(value for value in found if value is not None)

    def table(self, key_of: Callable[[str], str], value_of: Callable[[str], str]) -> dict[str, str]:
        """A mapping of texts, keys and values checked."""
        found: dict[str, str] = {}
        for key, place in self.entries():
            try:
                key_of(key)
            except ValueError as error:
                place.refuse(str(error))
                continue
            found[key] = place.read(value_of) or ""
        return found


class Fields:
    """The keys of one mapping. Unknown ones are refused on sight, with the known ones listed."""

    def __init__(self, place: Place, known: Sequence[str]) -> None:
        self.place = place
        self._before = len(place.problems)
        self._found = dict(place.entries())
        for key in [key for key in self._found if key not in known]:
            self._unknown(key, known)

    def _unknown(self, key: str, known: Sequence[str]) -> None:
        node = self.place.node
        line = node.key_lines[key] if isinstance(node, document.Mapping) else node.line
        self._found.pop(key).refuse(f"unknown key; known are {', '.join(known)}{suggestion(key, known)}", line)

    @property
    def sound(self) -> bool:
        """No error since this mapping was opened."""
        return len(self.place.problems) == self._before

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def get(self, key: str) -> Place | None:
        """The place of a key, None if absent."""
        return self._found.get(key)

    def optional(self, key: str, convert: Callable[[str], T]) -> T | None:
        """The value, or None if absent."""
        place = self._found.get(key)
        return place.read(convert) if place else None

    def required(self, key: str, convert: Callable[[str], T], fallback: T) -> T:
        """The value; an error if absent."""
        place = self.need(key)
        value = place.read(convert) if place else None
        return fallback if value is None else value

    def need(self, key: str) -> Place | None:
        """The place of a key; an error if absent."""
        if key not in self._found and isinstance(self.place.node, document.Mapping):
            self.place.refuse(f"the key {key!r} is missing")
        return self._found.get(key)

    def validity(self, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
        """[from, until) in UTC; an error unless from is before until."""
        start, end = (self.optional(key, partial(values.moment, zone=zone)) for key in ("from", "until"))
        if start and end and end <= start:
            self._found["until"].refuse("until must be after from (it is exclusive)")
        return start, end


def overlapping(first: tuple[datetime | None, datetime | None], second: tuple[datetime | None, datetime | None]) -> bool:
    """Whether two half-open intervals share a moment; None is unbounded."""
    latest_start = max(first[0] or EPOCH, second[0] or EPOCH)
    ends = [end for end in (first[1], second[1]) if end]
    return not ends or latest_start < min(ends)
