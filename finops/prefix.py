"""BASE_PATH in front of every address, whether the proxy before us takes it off or not."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class BasePath:
    """Takes the prefix off the path that is looked up. Django itself puts it before the addresses it writes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        prefix = settings.FORCE_SCRIPT_NAME or ""
        if prefix and f"{request.path_info}/".startswith(f"{prefix}/"):
            request.path_info = request.META["PATH_INFO"] = request.path_info[len(prefix) :] or "/"
            request.path = prefix + request.path_info
        return self.get_response(request)
