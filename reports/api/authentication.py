"""`Authorization: Bearer fin_…`: who a script is, and what its token is good for."""

from datetime import UTC, datetime, timedelta

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission

from reports import demo
from reports.models import ApiToken

NOTED_EVERY = timedelta(minutes=1)


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request):
        kind, _, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if kind.lower() != "bearer":
            return None
        now = datetime.now(UTC)
        token = ApiToken.find(text.strip(), now=now)
        if token is None or demo.refused(token.user):
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        if token.last_used is None or now - token.last_used > NOTED_EVERY:
            ApiToken.objects.filter(pk=token.pk).update(last_used=now)
        return token.user, token

    def authenticate_header(self, request) -> str:
        return 'Bearer realm="api"'


class HasScope(BasePermission):
    """A person's session may do what the person may; a token only what its scopes name."""

    scope = "read"
    message = "The token lacks the scope read."

    def has_permission(self, request, view) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        return not isinstance(request.auth, ApiToken) or self.scope in request.auth.scopes
