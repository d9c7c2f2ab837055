"""GET /api/v1/schema, the OpenAPI document as kept in the repository, and /api/v1/docs, the same to be read by people."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.response import Response

from reports.api import described
from reports.api.kept import document
from reports.api.reference import sections
from reports.api.views import ApiView


@extend_schema_view(get=extend_schema(**described.SCHEMA))
class Schema(ApiView):
    def get(self, request) -> Response:
        root = request.build_absolute_uri(request.META.get("SCRIPT_NAME", "") or "/").rstrip("/")
        return Response(document() | {"servers": [{"url": root}]}, content_type=described.OPENAPI)


@login_required
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html", {"info": document()["info"], "sections": sections(document())})
