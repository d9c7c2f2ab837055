"""Log-in by password and by OpenID Connect: who may have an account, and what the provider's claims mean."""

import logging

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import AuthError
from django.conf import settings
from django.http import HttpRequest

from finops.audit import acting
from reports.people.identities import listed, remember
from reports.people.openid import failed

LOG = logging.getLogger(__name__)
TOLD_BY = "openid"


class Accounts(DefaultAccountAdapter):
    """Nobody signs up by a form: accounts are made by `manage.py grant`, or by the identity provider."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "User name and password do not match.",
        "too_many_login_attempts": "Too many attempts. Wait five minutes and try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(self, request, level, message_template=None, message_context=None, extra_tags="", message=None) -> None:
        """No page shows messages."""

    def set_password(self, user, password: str) -> None:
        acting(user.get_username())
        super().set_password(user, password)


class Identities(DefaultSocialAccountAdapter):
    """Whom the provider names has an account here; what it may see follows from its groups, nothing else."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        if sociallogin.is_existing:
            remember(sociallogin.user, _groups(sociallogin), told_by=TOLD_BY)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form=None):
        acting("openid log-in")
        user = super().save_user(request, sociallogin, form)
        remember(user, _groups(sociallogin), told_by=TOLD_BY)
        return user

    def on_authentication_error(self, request: HttpRequest, provider, error=None, exception=None, extra_context=None) -> None:
        """One page for all of them; what the provider said belongs in the log."""
        if exception:
            LOG.warning("log-in by the identity provider failed: %.200s", exception)
        if error != AuthError.CANCELLED:
            raise ImmediateHttpResponse(failed(request, status=502 if exception else 403))


def _groups(sociallogin: SocialLogin) -> list[object]:
    """Of the ID token, else of the provider's answer about the person."""
    claims = sociallogin.account.extra_data
    name = settings.OIDC_GROUPS_CLAIM
    return next((listed(part[name]) for part in (claims.get("id_token") or {}, claims.get("userinfo") or {}, claims) if name in part), [])
