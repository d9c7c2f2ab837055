"""The two addresses of log-in by OpenID Connect; a provider that is down is one page, not a fault of ours."""

import logging
from collections.abc import Callable

import requests
from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

LOG = logging.getLogger(__name__)


def failed(request: HttpRequest, *, status: int) -> HttpResponse:
    return render(request, "socialaccount/authentication_error.html", status=status)


def _answered(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    def guarded(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except requests.RequestException as error:
            LOG.warning("the identity provider does not answer: %s", type(error).__name__)
            return failed(request, status=502)

    return guarded


login, callback = _answered(views.login), _answered(views.callback)
