"""manage.py export: the API's export, to a file, whole or not at all."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from reports.exports import files, source

DAYS = ["--start", "2026-10-24", "--end", "2026-10-26"]


def run(*words: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("export", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("format", ["csv", "focus-csv"])
def test_the_file_is_the_apis(asked, tmp_path: Path, format: str) -> None:
    """10 lines and parts of lines, 3 of moved cost, 2 of rounding; FOCUS leaves 2 out and tells nobody's moved cost in one."""
    place = tmp_path / "charges.csv"
    out, _ = run(*DAYS, "--format", format, "--grain", "hour", "--basis", "used", "--output", str(place))
    export = asked(format=format, grain="hour", basis="used")
    assert sorted(place.read_bytes().splitlines()) == sorted(b"".join(files.csv_chunks(export, source.parts(export))).splitlines())
    assert out == f"{place}: {15 if format == 'csv' else 12} rows, {place.stat().st_size} bytes\n"


def test_focus_leaves_its_metadata_beside_and_says_what_it_left_out(two_days, tmp_path: Path) -> None:
    place = tmp_path / "charges.csv"
    _, err = run(*DAYS, "--format", "focus-csv", "--focus-version", "1.4", "--output", str(place))
    assert json.loads((tmp_path / "charges.csv.json").read_text())["Schema"]["FocusVersion"] == "1.4"
    assert err == "left out: 1 GPU-hours that have no price; FOCUS has no row without a cost\n"
    run(*DAYS, "--format", "focus-csv", "--output", str(place), "--metadata", str(tmp_path / "m.json"))
    assert json.loads((tmp_path / "m.json").read_text())["Schema"]["FocusVersion"] == "1.2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--start", "2026-10-24", "--format", "csv"], "end is missing: an ISO 8601 date or timestamp; end is exclusive"),
        (DAYS, "format is missing: csv, xlsx, parquet, focus-csv, focus-parquet"),
        ([*DAYS, "--format", "pdf"], "format 'pdf' is not known; known: csv, xlsx, parquet, focus-csv, focus-parquet"),
        ([*DAYS, "--format", "csv", "--grain", "week"], "grain 'week' is not known; known: hour, day, month"),
        ([*DAYS, "--format", "csv", "--basis", "free"], "basis 'free' is not known; known: allocated, used, hybrid"),
        ([*DAYS, "--format", "csv", "--focus-version", "1.2"], "focus_version goes with the formats focus-csv and focus-parquet"),
        ([*DAYS, "--format", "focus-csv", "--focus-version", "1.3"], "focus_version '1.3' is not known; known: 1.2, 1.4"),
        ([*DAYS, "--format", "csv"], "output is missing: name the file with --output"),
        ([*DAYS, "--format", "csv", "--output", "/nowhere/f.csv"], "output /nowhere/f.csv: No such file or directory"),
    ],
)
def test_errors_are_one_line(two_days, words: list[str], said: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(*words)
    assert (str(caught.value), caught.value.returncode) == (said, 2)


def test_what_fails_leaves_the_old_file(two_days, tmp_path: Path, monkeypatch) -> None:
    place = tmp_path / "charges.csv"
    place.write_text("old")

    def broken(*args: object) -> object:
        yield b""
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(source, "as_csv", broken)
    with pytest.raises(CommandError, match="No space left on device"):
        run(*DAYS, "--format", "csv", "--output", str(place))
    assert [path.name for path in tmp_path.iterdir()] == ["charges.csv"]
    assert place.read_text() == "old"
