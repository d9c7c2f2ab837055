"""GET /api/v1/tokens, DELETE /api/v1/tokens/{prefix}: one's own tokens, and the end of one. Their texts are not kept."""

from datetime import UTC, datetime

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.response import Response

from finops.scope import Refused
from reports.api import described
from reports.api.views import ApiView
from reports.models import ApiToken


@extend_schema_view(get=extend_schema(**described.TOKENS))
class Tokens(ApiView):
    def get(self, request) -> Response:
        _refuse_parameters(request)
        return Response({"rows": [_told(token) for token in ApiToken.objects.filter(user=request.user).order_by("created", "id")]})


@extend_schema_view(delete=extend_schema(**described.REVOKE))
class Token(ApiView):
    def delete(self, request, prefix: str) -> Response:
        """A session, with its CSRF token, or a token of scope admin ends any of the person's; another token only itself."""
        _refuse_parameters(request)
        with_token = isinstance(request.auth, ApiToken)
        if with_token and request.auth.prefix != prefix and "admin" not in request.auth.scopes:
            raise PermissionDenied("A token without the scope admin ends itself only.")
        found = ApiToken.objects.filter(user=request.user, prefix=prefix, revoked_at=None)
        if not found.update(revoked_at=datetime.now(UTC)):
            raise NotFound("None of your tokens in force has this prefix.")
        return Response(status=204)


def _refuse_parameters(request) -> None:
    for name in request.query_params:
        raise Refused(f"unknown parameter {name!r}; this address takes none")


def _told(token: ApiToken) -> dict[str, object]:
    return {
        "prefix": token.prefix,
        "name": token.name,
        "scopes": token.scopes,
        "created": token.created.isoformat(),
        "expires": token.expires.isoformat(),
        "last_used": token.last_used.isoformat() if token.last_used else None,
        "revoked": token.revoked_at.isoformat() if token.revoked_at else None,
    }
