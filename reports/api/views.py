"""What every address under /api/v1/ has in common."""

from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.views import APIView

from reports.api.authentication import HasScope, TokenAuthentication
from reports.api.problems import problem


class JsonAlways(BaseContentNegotiation):
    """One form of answer, whatever is asked for, so that `format` is no parameter of its own."""

    def select_parser(self, request, parsers):
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes = (HasScope,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = JsonAlways

    def get_exception_handler(self):
        return problem

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store, private"
        return response


class Unknown(ApiView):
    """Any other address, so that its error is a problem document as well."""

    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        raise NotFound("There is no such address in this API.")
