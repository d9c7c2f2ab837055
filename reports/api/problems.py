"""Errors as RFC 9457 problem documents."""

from http import HTTPStatus

from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from finops.scope import Refused

MEDIA_TYPE = "application/problem+json"


def problem(error: Exception, context: dict) -> Response | None:
    """None for what nobody can cause: that stops the request."""
    if isinstance(error, Refused):
        error = ValidationError(str(error))
    found = exception_handler(error, context)
    if found is None:
        return None
    body = {
        "type": "about:blank",
        "title": HTTPStatus(found.status_code).phrase,
        "status": found.status_code,
        "detail": _detail(found.data),
        "instance": context["request"].path,
    }
    headers = {name: found.headers[name] for name in ("WWW-Authenticate", "Retry-After") if name in found.headers}
    return Response(body, status=found.status_code, headers=headers, content_type=MEDIA_TYPE)


def _detail(data: object) -> str:
    if isinstance(data, dict):
        return _detail(data.get("detail", list(data.values())))
    if isinstance(data, list):
        return " ".join(_detail(part) for part in data)
    return str(data)
