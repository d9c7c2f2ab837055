"""What every address under /api/v1/ has in common."""

from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from finops import queries
from finops.scope import Refused, Scope
from reports.access import narrow
from reports.api import bounds
from reports.api.authentication import HasScope, TokenAuthentication
from reports.api.problems import problem
from reports.api.throttle import ByScope
from reports.api.validators import unchanged, validators
from reports.params import scope_from

PAGED = ("limit", "cursor")


class JsonAlways(BaseContentNegotiation):
    """One form of answer, whatever is asked for, so that `format` is no parameter of its own."""

    def select_parser(self, request, parsers):
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes = (HasScope,)
    throttle_classes = (ByScope,)
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = JsonAlways

    def get_exception_handler(self):
        return problem

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store, private"
        return response


class Read(ApiView):
    """A question about a window, narrowed to its reader and bounded; unchanged answers are not made again.

    `window`: the word that stands for absent bounds, empty where they must be named. `grouped`: whether group_by and step are
    the asker's to choose.
    """

    window = ""
    grouped = False

    def get(self, request) -> Response:
        with bounds.in_time():
            asked = self.question(request)
            headers = validators(request, asked)
            if unchanged(request, headers):
                return Response(status=304, headers=headers)
            return Response(self.answer(asked, request), headers=headers)

    def question(self, request) -> Scope:
        """Raises Refused, one line that names the parameter."""
        setting = queries.setting()
        asked = scope_from(
            dict(request.query_params.lists()), zone=ZoneInfo(setting.timezone), now=datetime.now(UTC), also=PAGED, window=self.window,
            week_starts=setting.week_starts,
        )  # fmt: skip
        if not self.grouped and (asked.group_by or asked.step != "total"):
            raise Refused("this list has its rows already: group_by and step are for /api/v1/costs")
        return narrow(bounds.check(asked), user=request.user)

    answer: Callable[[Scope, object], dict[str, object]]


class Unknown(ApiView):
    """Any other address, so that its error is a problem document as well."""

    schema = None

    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        raise NotFound("There is no such address in this API.")
