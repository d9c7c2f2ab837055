"""Log-in by a proxy that has authenticated the caller: its header counts, if it comes from a trusted proxy, nobody else's."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import get_user_model, login, logout
from django.http import HttpRequest, HttpResponse

from finops.audit import acting
from reports.people.identities import listed, remember

BACKEND = "reports.backends.People"
TOLD_BY = "proxy"
MARK = "told by the proxy"


class ProxyLogin:
    """After Django's own authentication. Off unless TRUSTED_USER_HEADER is set.

    A person whom the proxy no longer names is logged out; one it has not named before gets an account that sees nothing but
    what the groups of TRUSTED_GROUPS_HEADER grant.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.TRUSTED_USER_HEADER:
            self._follow(request, request.META.get(settings.TRUSTED_USER_HEADER, "").strip())
        return self.get_response(request)

    def _follow(self, request: HttpRequest, name: str) -> None:
        here = request.user.get_username() if request.user.is_authenticated else ""
        if name and name != here:
            self._log_in(request, name)
        elif not name and here and request.session.get(MARK):
            logout(request)
        if name and request.user.is_authenticated and settings.TRUSTED_GROUPS_HEADER:
            remember(request.user, listed(request.META.get(settings.TRUSTED_GROUPS_HEADER, "")), told_by=TOLD_BY)

    def _log_in(self, request: HttpRequest, name: str) -> None:
        people = get_user_model().objects
        longest = get_user_model()._meta.get_field("username").max_length
        possible = len(name) <= longest and "\0" not in name
        user = people.filter(username=name).first() if possible else None
        if user is None and possible:
            acting("proxy log-in")
            user = people.create_user(username=name)
        if user is None or not user.is_active:
            logout(request)
            return
        login(request, user, backend=BACKEND)
        request.session[MARK] = True
