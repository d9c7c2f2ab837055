"""Log-in by a trusted proxy's header."""

from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.access import sees_all, teams_of
from reports.models import Grant

pytestmark = pytest.mark.django_db
PROXY, ELSEWHERE = {"REMOTE_ADDR": "10.1.2.3"}, {"REMOTE_ADDR": "203.0.113.9"}


@pytest.fixture(autouse=True)
def trusted(settings) -> None:
    settings.TRUSTED_PROXIES = (ip_network("10.0.0.0/8"),)
    settings.TRUSTED_USER_HEADER, settings.TRUSTED_GROUPS_HEADER = "HTTP_X_FORWARDED_USER", "HTTP_X_FORWARDED_GROUPS"


def ask(client: Client, user: str = "", groups: str = "", *, by: dict[str, str] = PROXY):
    named = {"HTTP_X_FORWARDED_USER": user} if user else {}
    return client.get("/", **by, **named, **({"HTTP_X_FORWARDED_GROUPS": groups} if groups else {}))


def who(client: Client) -> str:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else ""


def test_whom_the_proxy_names_is_logged_in(client) -> None:
    Grant.objects.create(group="ml", role="viewer", team="vision")
    assert ask(client, "oskar", "ml, canteen").status_code == 200
    oskar = User.objects.get()
    assert (oskar.username, oskar.has_usable_password(), teams_of(oskar), sees_all(oskar)) == ("oskar", False, {"vision"}, False)


def test_nobody_else_is_believed(client) -> None:
    assert ask(client, "admin", by=ELSEWHERE).status_code == 302
    assert User.objects.count() == 0


def test_the_one_named_now_counts(client) -> None:
    ask(client, "oskar")
    ask(client, "lena")
    assert who(client) == "lena"
    ask(client)
    assert who(client) == ""


def test_a_password_log_in_goes_on_without_the_header(client) -> None:
    client.force_login(User.objects.create_user("ada"))
    ask(client)
    assert who(client) == "ada"


def test_a_closed_account_is_nobody(client) -> None:
    User.objects.create_user("oskar", is_active=False)
    assert ask(client, "oskar").status_code == 302 and who(client) == ""


@pytest.mark.parametrize("name", ["x" * 151, "a\0b"])
def test_a_name_that_cannot_be_is_nobody(name: str, client) -> None:
    assert ask(client, name).status_code == 302 and User.objects.count() == 0


def test_off_where_no_header_is_set(client, settings) -> None:
    settings.TRUSTED_USER_HEADER = settings.TRUSTED_GROUPS_HEADER = ""
    assert ask(client, "oskar").status_code == 302 and User.objects.count() == 0
