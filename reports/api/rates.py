"""GET /api/v1/rates: the price list as far as it holds in a window.

Who sees all sees all of it. Who sees own teams sees the rates that fit the GPUs these teams' pods held in the window: what their
own hours were or could have been charged by, and not what others' GPUs cost.
"""

from drf_spectacular.utils import extend_schema, extend_schema_view

from finops import queries, tariff
from finops.scope import Refused, Scope
from reports.api import described
from reports.api.paging import page
from reports.api.views import PAGED, Read

KNOWN = ("start", "end", "window", *PAGED)


@extend_schema_view(get=extend_schema(**described.RATES))
class Rates(Read):
    window = "30d"

    def question(self, request) -> Scope:
        for name in request.query_params:
            if name not in KNOWN:
                raise Refused(f"unknown parameter {name!r}; known: {', '.join(KNOWN)}")
        return super().question(request)

    def answer(self, asked: Scope, request) -> dict[str, object]:
        setting = queries.setting()
        limit, cursor = (request.query_params.get(name, "") for name in PAGED)
        rows, following = page(tariff.rates(asked), limit=limit, cursor=cursor)
        return {"rows": [row.as_json(queries.zone_of(setting)) for row in rows], "next": following, "currency": setting.currency}
