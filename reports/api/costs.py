"""GET /api/v1/costs: what the query layer answers, page by page."""

from drf_spectacular.utils import extend_schema, extend_schema_view

from finops import queries
from finops.scope import Scope
from reports.api import bounds, described
from reports.api.paging import page
from reports.api.views import Read


@extend_schema_view(get=extend_schema(**described.COSTS))
class Costs(Read):
    grouped = True

    def answer(self, asked: Scope, request) -> dict[str, object]:
        found = queries.costs(asked, most=bounds.MOST_ROWS + 1)
        limit, cursor = (request.query_params.get(name, "") for name in ("limit", "cursor"))
        rows, following = page(bounds.rows_bounded(found.rows), limit=limit, cursor=cursor)
        return {
            "rows": [row.as_json() for row in rows],
            "total": found.total.as_json(),
            "next": following,
            "as_of": found.as_of.isoformat() if found.as_of else None,
            "balanced": found.balanced,
            "incomplete": found.incomplete,
            "currency": found.currency,
        }
