"""What the OpenAPI document says of each address; the forms of the answers stand in forms.py."""

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from finops.scope import GROUP_KEYS, STEPS
from reports.api import forms
from reports.api.paging import MOST
from reports.params import STEP_WORDS
from reports.windows import WORDS

PROBLEM = "application/problem+json"
OPENAPI = "application/vnd.oai.openapi+json"
ERRORS = {
    400: "A parameter is unknown, or its value cannot be answered; `detail` names it and the cure.",
    401: "No log-in and no token, or the token is unknown, expired or revoked.",
    403: "The token lacks the scope, or the person the right.",
    404: "There is nothing at this address.",
    405: "The address does not take this method.",
    415: "The body is no JSON.",
    429: "Asked too often; `Retry-After` says when to ask again.",
    503: "The database does not answer.",
}
FILTERS = "\n\nFilters: any group key; repeated means *or* (`team=a&team=b`); `exclude.team=x` leaves out; labels by name: `label:app=x`, `exclude.label:app=x`."


def parameter(name: str, text: str, **more) -> OpenApiParameter:
    return OpenApiParameter(name, more.pop("type", str), OpenApiParameter.QUERY, description=text, **more)


def windows(default: str) -> list[OpenApiParameter]:
    alone = f"Without any of the three the window is `{default}`." if default else "This, or `start` and `end`, is needed."
    words = ", ".join(f"`{word}`" for word in WORDS)
    return [
        parameter("start", "The window's first instant: an ISO 8601 date or timestamp on the hour, in the reporting zone unless it says otherwise."),
        parameter("end", "The instant at which the window ends, itself not in it."),
        parameter("window", f"In place of `start` and `end`: {words}, or both with a comma between. {alone}"),
    ]


PAGING = [
    parameter("limit", "The most rows of one page.", type={"type": "integer", "minimum": 1, "maximum": MOST, "default": MOST}),
    parameter("cursor", "`next` of the page before, as it was given."),
]
KEYS = [parameter(key, f"Only lines of this {key.replace('_', ' ')}; repeated means or.", many=True) for key in GROUP_KEYS]
NOT_KEYS = [parameter(f"exclude.{key}", f"No lines of this {key.replace('_', ' ')}.", many=True) for key in GROUP_KEYS]
GROUPING = [
    parameter("group_by", f"What a row is: keys with commas between, of {', '.join(f'`{key}`' for key in GROUP_KEYS)} and `label:<name>`."),
    parameter("aggregate", "Another name of `group_by`."),
    parameter("step", "One row per group and period.", enum=[*STEPS, *STEP_WORDS], default="total"),
]
KNOWN = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The `ETag` of an answer you have: 304 if it is still the same.")
HEADERS = [
    OpenApiParameter("ETag", str, OpenApiParameter.HEADER, response=[200, 304], description="Another one once the answer may have changed."),
    OpenApiParameter("Last-Modified", str, OpenApiParameter.HEADER, response=[200, 304], description="When the window's hours were last accounted."),
]


def operation(name: str, summary: str, text: str, form: dict, *, parameters=(), read: bool = False, errors=(400, 401, 403, 405, 429, 503), code=200, kind="application/json") -> dict:
    good = {(code, kind): OpenApiResponse(form or None, description="The answer.")}
    same = {304: OpenApiResponse(None, description="The answer is the one you have.")} if read else {}
    bad = {(each, PROBLEM): OpenApiResponse(forms.PROBLEM, description=ERRORS[each]) for each in errors}
    return {
        "operation_id": name, "summary": summary, "description": text, "parameters": [*parameters, *((KNOWN, *HEADERS) if read else ())],
        "responses": good | same | bad, "auth": [{}], "tags": ["costs"],
    }  # fmt: skip


def _list(name: str, summary: str, text: str) -> dict:
    return operation(name, summary, text + FILTERS, forms.paged(forms.LISTED[name]), parameters=[*windows("7d"), *KEYS, *NOT_KEYS, *PAGING], read=True)


COSTS = operation(
    "costs", "What a window cost, by any keys and periods",
    "Rows by period, then cost falling. `total` is of all rows, not of the page; `balanced` says that they add up to it; `incomplete` "
    "names the windows whose data miss." + FILTERS,
    forms.COSTS, parameters=[*windows(""), *GROUPING, *KEYS, *NOT_KEYS, *PAGING], read=True,
)  # fmt: skip
TEAMS = _list("teams", "The teams of a window", "Who sees own teams finds these alone.")
JOBS = _list("jobs", "The jobs of a window", "Who sees own teams finds their jobs alone.")
CLUSTERS = _list("clusters", "The clusters, and up to when their data reach", "Who sees own teams finds the clusters their pods were on, with their own figures.")
NODES = _list("nodes", "The nodes of a window", "Who sees own teams finds the nodes their pods were on, with their own figures.")
RATES = operation(
    "rates", "The price list as far as it holds in a window",
    "Who sees own teams finds the rates that fit the GPUs their pods held in the window.",
    forms.paged(forms.RATE), parameters=[*windows("30d"), *PAGING], read=True,
)  # fmt: skip
TOKENS = operation("tokens", "Your own tokens", "Their texts are not kept and cannot be shown again.", forms.TOKENS)
REVOKE = operation(
    "revoke_token", "Ends one of your tokens", "By log-in (with its CSRF token) or a token of scope `admin`; any other token ends itself only.", {},
    parameters=[OpenApiParameter("prefix", {"type": "string", "pattern": "^[0-9a-f]{12}$"}, OpenApiParameter.PATH, description="The part between `fin_` and the next `_`.")],
    errors=(400, 401, 403, 404, 405, 429, 503), code=204,
)  # fmt: skip
SCHEMA = operation("schema", "This document", "OpenAPI 3.", {"type": "object"}, errors=(401, 403, 405, 429), kind=OPENAPI)


def finish(result: dict, generator, request, public) -> dict:
    """The parts that every address shares, and how one gets in."""
    parts = result.setdefault("components", {})
    parts["schemas"] = dict(sorted((parts.get("schemas", {}) | forms.SHARED).items()))
    parts["securitySchemes"] = {
        "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
        "token": {"type": "http", "scheme": "bearer", "bearerFormat": "fin_<prefix>_<secret>"},
    }
    for methods in result["paths"].values():
        for operation in methods.values():
            operation["security"] = [{"token": []}, {"session": []}]
    result.pop("tags", None)
    return result
