"""Log-in through a real OpenID Connect provider on loopback; its tokens are signed, its pages are its own."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import requests
from django.contrib.auth.models import Group, User
from django.test import Client, override_settings

from finops.environment.identity import OpenId
from reports.access import is_admin, sees_all, teams_of
from reports.models import Grant, Identity
from tests.prometheus_server import free_port

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """A process of its own, ended by its id: warnings that are errors here are its own business."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "oidc_provider_mock", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 30
        while not answers(address):
            assert server.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=10)


def answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/.well-known/openid-configuration", timeout=1).ok
    except requests.RequestException:
        return False


@pytest.fixture
def open(provider: str) -> Iterator[None]:
    app = OpenId(provider, "finops", "secret-of-finops", "Company", "groups").as_app()
    with override_settings(SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [app]}}):
        yield


def tell(provider: str, sub: str, **claims: object) -> None:
    requests.put(f"{provider}/users/{sub}", json=claims, timeout=10).raise_for_status()


def log_in(client: Client, sub: str, *, follow: bool = True):
    """The way of a browser: our button, the provider's page, back to us."""
    there = client.post("/oidc/company/login/").headers["Location"]
    back = requests.post(there, data={"sub": sub}, allow_redirects=False, timeout=10).headers["Location"]
    return client.get(back.partition("testserver")[2], follow=follow)


def test_without_a_provider_there_is_no_button(client) -> None:
    assert "Log in with" not in client.get("/login/").content.decode()
    assert client.post("/oidc/company/login/").status_code == 404


def test_the_button_names_the_provider(open, client) -> None:
    assert "Log in with Company" in client.get("/login/").content.decode()


def test_a_person_sees_what_the_groups_grant(open, provider, client) -> None:
    Grant.objects.create(group="ml-fraud", role="lead", team="fraud")
    Grant.objects.create(group="ml-risk", role="viewer", team="risk")
    tell(provider, "4711", preferred_username="lena", email="lena@example.com", groups=["ml-fraud", "canteen"])
    assert log_in(client, "4711").status_code == 200
    lena = User.objects.get()
    assert (lena.username, lena.email, lena.has_usable_password(), lena.is_superuser) == ("lena", "lena@example.com", False, False)
    assert teams_of(lena) == {"fraud"} and not sees_all(lena)


def test_who_left_a_group_loses_what_it_granted(open, provider, client) -> None:
    Grant.objects.create(group="platform", role="admin")
    tell(provider, "4712", preferred_username="olga", groups=["platform"])
    log_in(client, "4712")
    assert is_admin(User.objects.get())
    tell(provider, "4712", preferred_username="olga", groups=[])
    log_in(Client(), "4712")
    olga = User.objects.get()
    assert not is_admin(olga) and teams_of(olga) == frozenset()


def test_groups_called_like_our_roles_grant_nothing(open, provider, client) -> None:
    Group.objects.create(name="admin")
    tell(provider, "4713", preferred_username="eve", groups=["admin", "finance", "demo"])
    log_in(client, "4713")
    eve = User.objects.get()
    assert not is_admin(eve) and not sees_all(eve) and Identity.objects.get().groups == ["admin", "demo", "finance"]


def test_a_name_or_address_that_is_taken_opens_no_other_account(open, provider, client) -> None:
    User.objects.create_superuser("admin", email="admin@example.com", password="a-long-password")
    tell(provider, "4714", preferred_username="admin", email="admin@example.com", email_verified=True, groups=[])
    log_in(client, "4714")
    made = User.objects.exclude(username="admin").get()
    assert client.session["_auth_user_id"] == str(made.pk) and not made.is_superuser


def test_who_comes_again_is_the_same_person(open, provider, client) -> None:
    tell(provider, "4715", preferred_username="nora", groups=[])
    log_in(client, "4715")
    tell(provider, "4715", preferred_username="nora-married", groups=[])
    log_in(Client(), "4715")
    assert User.objects.count() == 1


def test_a_closed_account_stays_out(open, provider, client) -> None:
    tell(provider, "4716", preferred_username="finn", groups=[])
    log_in(client, "4716")
    User.objects.update(is_active=False)
    fresh = Client()
    assert "This account is closed" in log_in(fresh, "4716").content.decode() and "_auth_user_id" not in fresh.session


def test_a_refusal_and_a_forged_answer_end_on_one_page(open, provider, client) -> None:
    there = client.post("/oidc/company/login/").headers["Location"]
    state = re.search(r"state=([^&]+)", there)[1]
    cancelled = client.get(f"/oidc/company/login/callback/?error=access_denied&state={state}", follow=True)
    assert "cancelled at the identity provider" in cancelled.content.decode()
    forged = client.get("/oidc/company/login/callback/?code=stolen&state=guessed", follow=True)
    assert "did not confirm this log-in" in forged.content.decode() and "_auth_user_id" not in client.session


def test_a_provider_that_is_down_is_one_page(client) -> None:
    app = OpenId("http://127.0.0.1:9", "finops", "secret-of-finops", "Company", "groups").as_app()
    with override_settings(SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [app]}}):
        answer = client.post("/oidc/company/login/")
    assert (answer.status_code, "did not confirm this log-in" in answer.content.decode()) == (502, True)
