"""GET /api/v1/costs: what the query layer answers, page by page."""

from datetime import UTC, datetime

from rest_framework.response import Response

from finops import queries
from reports.access import narrow
from reports.api.paging import page
from reports.api.views import ApiView
from reports.params import scope_from


class Costs(ApiView):
    def get(self, request) -> Response:
        zone = queries.zone()
        params = dict(request.query_params.lists())
        asked = scope_from(params, zone=zone, now=datetime.now(UTC), also=("limit", "cursor"))
        answer = queries.costs(narrow(asked, user=request.user))
        limit, cursor = (request.query_params.get(name, "") for name in ("limit", "cursor"))
        rows, following = page(answer.rows, limit=limit, cursor=cursor)
        return Response(
            {
                "rows": [row.as_json() for row in rows],
                "total": answer.total.as_json(),
                "next": following,
                "as_of": answer.as_of.astimezone(zone).isoformat() if answer.as_of else None,
                "balanced": answer.balanced,
                "incomplete": answer.incomplete,
                "currency": answer.currency,
            }
        )
