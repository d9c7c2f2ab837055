"""Over TLS every cookie is marked Secure, so that it never travels in the clear afterwards."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class SecureCookies:
    """By the request, since only a trusted proxy's word tells whether the caller came over TLS."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True
        return response
