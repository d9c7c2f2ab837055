"""Errors as RFC 9457 problem documents."""

from http import HTTPStatus

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import server_error
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from finops.scope import Refused

MEDIA_TYPE = "application/problem+json"
PASSED_ON = ("WWW-Authenticate", "Retry-After")


class Away(APIException):
    status_code = 503
    default_detail = "The database does not answer."


def problem(error: Exception, context: dict) -> Response | None:
    """None for what nobody can cause: that stops the request."""
    if isinstance(error, (Refused, SuspiciousOperation)):  # the latter: more parameters than are read
        error = ValidationError(str(error))
    elif isinstance(error, (OperationalError, InterfaceError)):
        error = Away()
    found = exception_handler(error, context)
    if found is None:
        return None
    headers = {name: found.headers[name] for name in PASSED_ON if name in found.headers}
    body = _body(found.status_code, _detail(found.data), context["request"].path)
    return Response(body, status=found.status_code, headers=headers, content_type=MEDIA_TYPE)


def unexpected(request: HttpRequest) -> HttpResponse:
    """What nobody can cause, told in the form of the address."""
    if not request.path_info.startswith("/api/"):
        return server_error(request)
    body = _body(500, "The server failed; its log tells why.", request.path)
    return JsonResponse(body, status=500, content_type=MEDIA_TYPE, headers={"Cache-Control": "no-store, private"})


def _body(status: int, detail: str, path: str) -> dict[str, object]:
    return {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, "instance": path}


def _detail(data: object) -> str:
    if isinstance(data, dict):
        return _detail(data.get("detail", list(data.values())))
    if isinstance(data, list):
        return " ".join(_detail(part) for part in data)
    return str(data)
