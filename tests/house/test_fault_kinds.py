"""Each kind of fault that the code can tell has its texts, and its line in docs/data-quality.md."""

import ast
import re
from pathlib import Path

import pytest

from finops.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2]
CODE = [path for app in ("finops", "ingest", "reports") for path in (ROOT / app).rglob("*.py") if not {"migrations", "simulator"} & set(path.parts)]
TELLERS = re.compile(r"^_?(Finding|named|about|kind)$")  # whose first argument is a kind
DOCUMENTED = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/data-quality.md").read_text(), re.MULTILINE)


def emitted(text: str) -> set[str]:
    """Kinds that a module tells of by name."""
    found = set()
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
        first = next((word.value for word in call.keywords if word.arg == "kind"), call.args[0] if call.args else None)
        if TELLERS.match(name) and isinstance(first, ast.Constant) and isinstance(first.value, str):
            found.add(first.value)
    return found


ALL = {kind: path for path in CODE for kind in emitted(path.read_text())}


def test_the_search_finds_kinds_however_they_are_told() -> None:
    assert emitted('yield Finding("a", x)\nyield named("b", x)\nyield _about("c")\nFinding(kind="d", subject="")\nother("e")') == {"a", "b", "c", "d"}
    assert {"over_committed", "vanished_board", "no_team"} <= ALL.keys()


@pytest.mark.parametrize("kind", sorted(ALL))
def test_what_the_code_tells_has_its_texts(kind: str) -> None:
    assert kind in KINDS, f"{ALL[kind]}: {kind} has no entry under finops/kinds"


def test_each_kind_has_one_line_in_the_docs() -> None:
    assert sorted(DOCUMENTED) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_its_texts_are_whole(kind) -> None:
    assert kind.title and kind.meaning and kind.cure
    assert kind.level in ("fault", "warn", "note")
    assert not (kind.wrong and kind.level == "note")


def test_no_text_of_a_kind_is_written_a_second_time() -> None:
    """A meaning of some length stands in finops/kinds alone."""
    elsewhere = {path: path.read_text() for path in CODE if "kinds" not in path.parts}
    twice = [(kind.name, path) for kind in KINDS.values() for path, text in elsewhere.items() for said in (kind.meaning, kind.cure) if len(said) > 30 and said in text]
    assert twice == []
