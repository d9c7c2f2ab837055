"""Whose name the audit log gives to what a request changes."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from finops.audit import acting

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


class Acting:
    """After authentication. A request that may change something is told to the database as the person's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in SAFE:
            acting(request.user.get_username() if request.user.is_authenticated else f"somebody at {request.META.get('REMOTE_ADDR', '?')}")
        return self.get_response(request)
