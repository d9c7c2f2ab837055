"""Whole files of an export: their names, and their content written beside the place and moved there when it is complete."""

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from finops import queries
from reports.exports import columnar, source, spreadsheet
from reports.exports.focus import metadata as focus
from reports.exports.periods import Piece
from reports.exports.question import Export

ORGANISATION = "gpu-costs"
LAYOUT = "1"  # of the columns of the plain formats
ENDINGS = {"focus-csv": "csv", "focus-parquet": "parquet"}
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Written:
    rows: int
    size: int


def ending(export: Export) -> str:
    return ENDINGS.get(export.format, export.format)


def media_type(export: Export) -> str:
    return MEDIA_TYPES[ending(export)]


def name_of(export: Export) -> str:
    """Organisation, window in the reporting zone, grain, basis and version."""
    bounds = (point.astimezone(export.zone) for point in (export.scope.window.start, export.scope.window.end))
    days = [f"{at:%Y-%m-%d}" if (at.hour, at.minute) == (0, 0) else f"{at:%Y-%m-%dT%H%M}" for at in bounds]
    version = f"focus-{export.version}" if export.version else f"v{LAYOUT}"
    return f"{'_'.join((ORGANISATION, *days, export.grain, export.basis, version))}.{ending(export)}"


def csv_chunks(export: Export, parts: Sequence[Piece]) -> Generator[bytes]:
    """The file as CSV, its line of names first."""
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(column.name for column in export.columns)
    yield head.getvalue().encode()
    yield from source.as_csv(export, parts)


def metadata(export: Export) -> dict[str, object]:
    """The object that goes with a FOCUS file."""
    window, as_of = export.scope.window, queries.watermark(export.scope)
    complete = as_of is not None and as_of >= window.end and not queries.incomplete(export.scope, zone=export.zone)
    hours = source.unpriced(export)
    return focus.of_file(export.version, start=window.start, end=window.end, as_of=as_of, complete=complete, unpriced=hours)


def write(export: Export, place: Path, *, progress: Progress = lambda done, of: None) -> Written:
    """The whole file, moved to `place` when it is complete. `progress` is told the pieces done and their number. Raises Refused, OSError."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    os.close(handle)
    path = Path(name)
    try:
        rows = _write(export, path, progress)
        path.chmod(0o640)
        size = path.stat().st_size
        path.replace(place)
        return Written(rows, size)
    finally:
        path.unlink(missing_ok=True)


def write_text(text: str, place: Path) -> None:
    """A small file, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    Path(name).chmod(0o640)
    Path(name).replace(place)


def _write(export: Export, path: Path, progress: Progress) -> int:
    parts = source.parts(export)
    if ending(export) == "csv":
        return _lines(export, parts, path, progress)
    batches = _counted(source.as_records(export, parts), len(parts), progress)
    if export.format == "xlsx":
        return spreadsheet.write(path, columns=export.columns, batches=batches)
    return columnar.write(path, columns=export.columns, batches=batches, metadata=_inside(export))


def _inside(export: Export) -> Mapping[str, str]:
    return {"focus": json.dumps(metadata(export))} if export.version else {"layout": LAYOUT, "created": datetime.now(UTC).isoformat()}


def _lines(export: Export, parts: Sequence[Piece], path: Path, progress: Progress) -> int:
    with path.open("wb") as file:
        chunks = csv_chunks(export, parts)
        file.write(next(chunks))
        done = 0
        for chunk in chunks:
            file.write(chunk)
            done += not chunk  # a piece ends with an empty chunk
            progress(done, len(parts))
    return _records(path)


def _records(path: Path) -> int:
    """Records of a CSV file below its line of names; texts may hold line ends."""
    with path.open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def _counted(batches: Iterable[list[tuple]], of: int, progress: Progress) -> Iterator[list[tuple]]:
    """The batches; a piece ends with an empty one."""
    done = 0
    for batch in batches:
        if batch:
            yield batch
        else:
            done += 1
            progress(done, of)
