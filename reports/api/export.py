"""GET /api/v1/costs/export: an export as a stream; what is too large for one is ordered instead."""

import tempfile
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

from django.http import FileResponse, StreamingHttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.response import Response

from finops import queries
from finops.scope import Refused
from finops.times import now
from reports.access import narrow
from reports.api import described_files
from reports.api.authentication import HasScope
from reports.api.views import ApiView
from reports.exports import files, source
from reports.exports.focus import metadata
from reports.exports.focus.columns import VERSIONS
from reports.exports.question import Export, export_from

MOST_LINES = {"csv": 2_000_000, "focus-csv": 500_000, "xlsx": 50_000, "parquet": 200_000, "focus-parquet": 200_000}


class MayExport(HasScope):
    scope = "export"
    message = "The token lacks the scope export."


def asked_by(request, params) -> Export:
    """What the parameters ask for, of what the person may see."""
    export = export_from(params, zone=queries.zone(), now=now(), currency=queries.currency(), week_starts=queries.setting().week_starts)
    return replace(export, scope=narrow(export.scope, user=request.user))


@extend_schema_view(get=extend_schema(**described_files.EXPORT))
class CostsExport(ApiView):
    permission_classes = (MayExport,)

    def get(self, request) -> StreamingHttpResponse:
        export = asked_by(request, dict(request.query_params.lists()))
        most = MOST_LINES[export.format]
        if source.lines(export, most=most) > most:
            raise Refused(f"this export reads more than {most} lines of the ledger; order it: POST /api/v1/exports with the same parameters")
        answer = _streamed(export) if files.ending(export) == "csv" else _whole(export)
        answer.headers["Content-Disposition"] = f'attachment; filename="{files.name_of(export)}"'
        if export.version:
            answer.headers["X-Unpriced-Gpu-Hours"] = source.unpriced(export)
        return answer


def _streamed(export: Export) -> StreamingHttpResponse:
    chunks = files.csv_chunks(export, source.parts(export))
    return StreamingHttpResponse(_Begun(chunks), content_type=files.media_type(export))


class _Begun:
    """Chunks, the first two made at once: what goes wrong in them is still an answer of its own. Closed, the reading ends with it."""

    def __init__(self, chunks: Generator[bytes]) -> None:
        self.chunks = chunks
        self.first = [next(chunks), next(chunks, b"")]

    def __iter__(self) -> Iterator[bytes]:
        yield b"".join(self.first)
        yield from filter(None, self.chunks)

    def close(self) -> None:
        self.chunks.close()


def _whole(export: Export) -> FileResponse:
    """A file that has no name on the disk any more when it is sent: it goes with the answer."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "export"
        files.write(export, place)
        return FileResponse(place.open("rb"), content_type=files.media_type(export))


@extend_schema_view(get=extend_schema(**described_files.METADATA))
class FocusMetadata(ApiView):
    """GET /api/v1/exports/focus/metadata: the schema of a version's files."""

    permission_classes = (MayExport,)

    def get(self, request) -> Response:
        unknown = set(request.query_params) - {"focus_version"}
        version = request.query_params.get("focus_version", VERSIONS[0])
        if unknown:
            raise Refused(f"unknown parameter {min(unknown)!r}; known: focus_version")
        if version not in VERSIONS:
            raise Refused(f"focus_version {version!r} is not known; known: {', '.join(VERSIONS)}")
        return Response(metadata.schema(version))
