"""The version is told in two places."""

import re
from pathlib import Path

from finops.release import VERSION

ROOT = Path(__file__).resolve().parents[3]


def test_it_is_the_changelogs_first():
    assert re.findall(r"^## \[?([^\]\s]+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[0].lower() == VERSION
