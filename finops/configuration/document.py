"""YAML as a tree of text: no scalar is interpreted, every node knows its line.

The tree is built from parser events, so no resolver and no constructor ever runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from .problems import Invalid, Problem, shown

DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text; ``""`` where the file has nothing, ``~`` or an unquoted ``null``."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    line: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys in file order, each with the line it stands on and its node."""

    line: int
    entries: dict[str, Node]
    key_lines: dict[str, int]


Node = Scalar | Sequence | Mapping


@dataclass(slots=True)
class _Builder:
    events: Iterator[yaml.Event]
    problems: list[Problem] = field(default_factory=list)
    line: int = 1

    def node(self, event: yaml.Event, path: str, depth: int) -> Node:
        self.line = line = _line(event)
        if depth > DEEPEST:
            raise Invalid([Problem(line, "", f"nested deeper than {DEEPEST} levels")])
        self.plain(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(line, path, depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(line, path, depth)
        return Scalar(line, _text(event))

    def plain(self, event: yaml.Event, path: str) -> None:
        """Refuse what would let one node stand for another or for a type."""
        anchor = str(getattr(event, "anchor", None) or "")
        if isinstance(event, yaml.AliasEvent):
            self.refuse(event, path, f"the alias {shown('*' + anchor)} is not allowed; write the value out")
        elif anchor:
            self.refuse(event, path, f"the anchor {shown('&' + anchor)} is not allowed; remove it")
        if tag := getattr(event, "tag", None):
            self.refuse(event, path, f"the tag {shown(tag)} is not allowed; every value is text")

    def sequence(self, line: int, path: str, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(event, f"{path}[{len(items)}]", depth + 1))
        return Sequence(line, tuple(items))

    def mapping(self, line: int, path: str, depth: int) -> Mapping:
        found = Mapping(line, {}, {})
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            self.entry(found, event, path, depth)
        return found

    def entry(self, found: Mapping, event: yaml.Event, path: str, depth: int) -> None:
        key = self.node(event, path, depth + 1)
        name = key.text if isinstance(key, Scalar) else ""
        inner = joined(path, name)
        value = self.node(next(self.events), inner, depth + 1)
        if not isinstance(key, Scalar):
            self.refuse(event, path, "a key must be a single word")
        elif name in found.entries:
            self.refuse(event, inner, f"the key is already on line {found.key_lines[name]}")
        else:
            found.entries[name] = value
            found.key_lines[name] = key.line

    def refuse(self, event: yaml.Event, path: str, message: str) -> None:
        self.problems.append(Problem(_line(event), path, message))


def joined(path: str, key: str) -> str:
    """``a.b``; a key that is no plain word is quoted: ``a['x y']``."""
    if not key or not key.isprintable() or not set(key).isdisjoint(" .[]'\""):
        return f"{path}[{shown(key)}]"
    return f"{path}.{key}" if path else key


def read(text: str) -> tuple[Mapping, list[Problem]]:
    """The root and what is refused in it. Raises Invalid where no tree can be built at all."""
    builder = _Builder(yaml.parse(text, Loader=yaml.SafeLoader))
    try:
        return _root(builder), builder.problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join((error.problem or error.context or "unreadable").split())
        raise Invalid([Problem(mark.line + 1 if mark else 1, "", f"not YAML: {what}")]) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = f"not YAML: the character U+{ord(text[error.position]):04X} is not allowed"
        raise Invalid([Problem(line, "", what)]) from None
    except (ValueError, OverflowError):  # PyYAML lets a numeric escape beyond Unicode through to chr()
        raise Invalid([Problem(builder.line, "", "not YAML: a number or an escape after this line is out of range")]) from None


def load(text: str) -> Node:
    """The root mapping of a YAML text. Raises Invalid: syntax, duplicate keys, anchors, tags."""
    root, problems = read(text)
    if problems:
        raise Invalid(problems)
    return root


def _root(builder: _Builder) -> Mapping:
    root: Node = Scalar(1, "")
    for number, event in enumerate(e for e in builder.events if isinstance(e, yaml.DocumentStartEvent)):
        if number:
            raise Invalid([Problem(_line(event), "", "a second document starts here; one file, one document")])
        root = builder.node(next(builder.events), "", 0)
    if not isinstance(root, Mapping):
        raise Invalid([Problem(root.line, "", 'the file must be a mapping of sections, like "currency: CHF"')])
    return root


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _text(event: yaml.Event) -> str:
    text = str(getattr(event, "value", ""))
    return "" if text in ("null", "~") and not getattr(event, "style", None) else text
