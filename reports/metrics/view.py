"""GET /metrics: the product's health for everybody, the ledger's totals for a token of the scope `metrics`."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.core.cache import cache
from django.http import HttpResponse
from prometheus_client import Metric
from rest_framework.exceptions import AuthenticationFailed

from finops import times
from finops.scope import Scope, Window
from reports.access import narrow
from reports.api.authentication import HasScope, TokenAuthentication
from reports.api.views import ApiView
from reports.metrics import ledger, product
from reports.metrics.exposition import CONTENT_TYPE, text

KEPT = timedelta(seconds=30)


class TokenOrNothing(TokenAuthentication):
    """Whoever brings credentials wants the totals: what is no token is refused, or the health alone would pass for all there is."""

    def authenticate(self, request):
        found = super().authenticate(request)
        if found is None and "Authorization" in request.headers:
            raise AuthenticationFailed("Authorization is not `Bearer` and a token.")
        return found


class ReadsMetrics(HasScope):
    scope = "metrics"
    message = "The token lacks the scope metrics."

    def has_permission(self, request, view) -> bool:
        return request.auth is None or super().has_permission(request, view)


class Metrics(ApiView):
    """Parameters are not read: Prometheus adds some of its own on demand."""

    authentication_classes = (TokenOrNothing,)
    permission_classes = (ReadsMetrics,)
    schema = None  # no part of the API's description

    def check_throttles(self, request) -> None:
        """The health is kept, so it is cheap: nobody shall use up what others may ask of it."""
        if request.auth is not None:
            super().check_throttles(request)

    def get(self, request) -> HttpResponse:
        now = times.now()
        body = _kept("health", lambda: product.families(now=now))
        if request.auth is not None:
            seen = narrow(Scope(Window(now - timedelta(days=1), now)), user=request.user)
            body += _kept(_name(seen), lambda: ledger.families(seen, now=now))
        return HttpResponse(body, content_type=CONTENT_TYPE)


def _kept(name: str, families: Callable[[], Sequence[Metric]]) -> str:
    """For half a minute: many may scrape often, and the ledger changes by the hour."""
    return cache.get_or_set(f"metrics:{name}", lambda: text(families()), timeout=KEPT.seconds)


def _name(scope: Scope) -> str:
    """By what is seen, not by who asks: a right that is taken away is gone at once."""
    teams = None if scope.teams is None else sorted(scope.teams)
    return hashlib.sha256(json.dumps(teams).encode()).hexdigest()
