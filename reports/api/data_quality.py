"""GET /api/v1/data-quality: the faults found in the data, what they touch and what mends them, page by page."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.response import Response

from finops import queries
from finops.kinds import KINDS
from finops.quality import faults
from finops.scope import Refused
from reports.access import narrow
from reports.api import described_files
from reports.api.paging import page
from reports.api.views import ApiView
from reports.params import scope_from

FILTERS = ("cluster", "team", "kind", "level")
KNOWN = ("start", "end", "window", *FILTERS, "limit", "cursor")


@extend_schema_view(get=extend_schema(**described_files.DATA_QUALITY))
class DataQuality(ApiView):
    def get(self, request) -> Response:
        zone, params = queries.zone(), dict(request.query_params.lists())
        kinds = _kinds(params)
        plain = {name: values for name, values in params.items() if name not in ("kind", "level")}
        week_starts = queries.setting().week_starts
        scope = scope_from(plain, zone=zone, now=datetime.now(UTC), also=("limit", "cursor"), week_starts=week_starts)
        asked = narrow(scope, user=request.user)
        chosen = {name: asked.filters.get(name, ()) for name in ("cluster", "team")}
        found = faults(asked.window, clusters=chosen["cluster"], touching=chosen["team"], kinds=kinds, teams=asked.teams)
        limit, cursor = (request.query_params.get(name, "") for name in ("limit", "cursor"))
        rows, following = page(found, limit=limit, cursor=cursor)
        as_of = queries.watermark(asked)
        return Response(
            {
                "rows": [row.as_json(zone) for row in rows],
                "next": following,
                "as_of": as_of.astimezone(zone).isoformat() if as_of else None,
                "currency": queries.currency(),
            }
        )


def _kinds(params: Mapping[str, Sequence[str]]) -> list[str]:
    """The kinds asked for by name or level; empty for all. Refused where a parameter or a value is none that is known."""
    for name in params:
        if name not in KNOWN:
            raise Refused(f"unknown parameter {name!r}; known: {', '.join(KNOWN)}")
    names, levels = _of(params, "kind", list(KINDS)), _of(params, "level", described_files.LEVELS)
    if not names and not levels:
        return []
    chosen = [each.name for each in KINDS.values() if (not names or each.name in names) and (not levels or each.level in levels)]
    return chosen or ["none"]  # a name and a level that exclude each other


def _of(params: Mapping[str, Sequence[str]], name: str, known: Sequence[str]) -> Sequence[str]:
    for value in params.get(name, ()):
        if value not in known:
            raise Refused(f"unknown {name} {value!r}; known: {', '.join(known)}")
    return params.get(name, ())
