"""Who vouches for people."""

import pytest

from finops.environment.identity import OPENID, header, openid
from finops.environment.values import Wrong

WHOLE = {"OIDC_ISSUER": "https://login.example.com/realms/x/", "OIDC_CLIENT_ID": "finops", "OIDC_CLIENT_SECRET": "s", "OIDC_NAME": "", "OIDC_GROUPS_CLAIM": ""}
NONE = dict.fromkeys(OPENID, "")


def test_a_provider() -> None:
    found = openid(WHOLE)
    assert found is not None
    assert (found.issuer, found.name, found.groups_claim) == ("https://login.example.com/realms/x", "login.example.com", "groups")
    assert found.as_app()["provider_id"] == "company"


def test_none() -> None:
    assert openid(NONE) is None


@pytest.mark.parametrize("issuer", ["http://localhost:9000", "http://127.0.0.1:9000"])
def test_this_machine_itself_needs_no_tls(issuer: str) -> None:
    assert openid(WHOLE | {"OIDC_ISSUER": issuer}) is not None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (WHOLE | {"OIDC_ISSUER": "http://login.example.com"}, "OIDC_ISSUER: 'http://login.example.com' is no issuer"),
        (WHOLE | {"OIDC_ISSUER": "login.example.com"}, "OIDC_ISSUER"),
        (WHOLE | {"OIDC_CLIENT_SECRET": ""}, "OIDC_CLIENT_SECRET: is needed"),
        (NONE | {"OIDC_CLIENT_ID": "finops"}, "OIDC_CLIENT_ID: means nothing without OIDC_ISSUER"),
    ],
)
def test_what_is_wrong(given: dict[str, str], told: str) -> None:
    with pytest.raises(Wrong, match=told):
        openid(given)


def test_headers() -> None:
    assert (header("X-Forwarded-User", name="H"), header("", name="H")) == ("HTTP_X_FORWARDED_USER", "")


@pytest.mark.parametrize("text", ["X Forwarded", "X_User", "Cookie", "authorization", "1-user"])
def test_no_headers(text: str) -> None:
    with pytest.raises(Wrong, match="H: "):
        header(text, name="H")
