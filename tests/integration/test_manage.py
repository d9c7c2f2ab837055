"""manage.py as a shell sees it: one clear line where the database has no tables, none where a pipe is closed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COSTS = (sys.executable, "manage.py", "costs", "--start", "2026-11-01", "--end", "2026-12-01")


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    given = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "FINOPS_CONFIG")}
    return given | {"FINOPS_DATA_DIR": str(tmp_path / "data")}


def test_an_empty_database_is_told_in_one_line_with_the_cure(environment):
    ended = subprocess.run(COSTS, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == 'relation "finops_setting" does not exist: the database is empty or older than the product; run manage.py migrate\n'


def test_help_says_what_each_of_our_commands_is_for_and_leaves_out_djangos(environment):
    ended = subprocess.run([sys.executable, "manage.py", "help"], cwd=ROOT, env=environment, capture_output=True, text=True)
    told = {line.split()[0]: line.split()[1:] for line in ended.stdout.splitlines() if line.startswith("    ")}
    ours = {path.stem for path in ROOT.glob("*/management/commands/*.py") if path.stem != "__init__"}
    assert (ended.returncode, set(told)) == (0, ours)
    assert all(len(words) > 3 for words in told.values())


def test_a_reader_that_has_seen_enough_ends_a_command_quietly(environment):
    readable, writable = os.pipe()
    os.close(readable)
    with os.fdopen(writable, "w") as closed:
        ended = subprocess.run([sys.executable, "manage.py", "help"], cwd=ROOT, env=environment, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (1, "")
