"""Each situation that docs/cases.md answers names a test that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[[^`]*\])?`")
ROWS = [line for line in (ROOT / "docs/cases.md").read_text().splitlines() if line.startswith("| ") and "`tests/" in line]


def test_there_are_as_many_rows_as_were_closed() -> None:
    assert len(ROWS) > 200


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_the_named_tests_exist(row: str) -> None:
    found = NAMED.findall(row)
    assert found
    for path, name in found:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.MULTILINE), f"{path}::{name}"
