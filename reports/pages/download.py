"""/download/<table>.csv: a table of the overview with every row and every stored digit, under the API's names."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from finops import queries
from finops.scope import Refused, Scope
from reports.pages import idle
from reports.pages.chart import range_of
from reports.pages.comparison import period_before
from reports.pages.question import Question, params_of, question

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\x00")  # what makes a spreadsheet compute a cell (CWE-1236)
TABLES = ("rows", "before", "days", "idle")


@require_safe
@cache_control(private=True, no_store=True)
@login_required
def download(request: HttpRequest, table: str) -> HttpResponse:
    if table not in TABLES:
        raise Http404
    try:
        asked = question(request, params_of(request), zone=queries.zone(), now=datetime.now(UTC))
        scope, order = _scope(asked, table)
        rows = queries.rows_of(scope, order=order)
    except Refused as refused:
        return HttpResponse(f"{refused}\n", status=400, content_type="text/plain; charset=utf-8")
    days = (point.astimezone(asked.zone).date().isoformat() for point in (scope.window.start, scope.window.end))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="gpu-costs-{table}-{"-".join(days)}.csv"'
    _write(response, rows)
    return response


def _scope(asked: Question, table: str) -> tuple[Scope, str]:
    by = (asked.state.by,)
    if table == "days":
        return range_of(asked.scope, as_of=asked.as_of, zone=asked.zone), "cost"
    if table == "idle":
        return idle.scope_of(asked.scope), "idle and unallocated cost"
    if table == "before":
        return period_before(asked.scope, as_of=asked.as_of, zone=asked.zone, cells=by, word=asked.word).scope, "cost"
    return replace(asked.scope, group_by=by), "cost"


def _write(response: HttpResponse, rows: Sequence) -> None:
    lines = [row.as_json() for row in rows]
    keys = set(rows[0].keys) if rows else set()
    writer = csv.writer(response, lineterminator="\r\n")
    if lines:
        writer.writerow(lines[0])
    for line in lines:
        writer.writerow([_harmless(value) if name in keys else value for name, value in line.items()])


def _harmless(text: str) -> str:
    """Names are other people's text and the file is opened in a spreadsheet; an apostrophe keeps it text."""
    return f"'{text}" if text.startswith(FORMULA) else text
