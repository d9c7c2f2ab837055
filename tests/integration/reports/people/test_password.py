"""Log-in by password: limits, and a forgotten one replaced by mail."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.utils import timezone

from finops import audit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forgotten() -> None:
    cache.clear()


def attempt(client, password: str, name: str = "lena", **more: str):
    return client.post("/login/", {"login": name, "password": password}, **more)


def test_the_right_password_opens(client, lead) -> None:
    answer = client.post("/login/", {"login": "lena", "password": "three-people", "next": "/?window=30d"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/?window=30d")


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_nobody_is_sent_elsewhere(target: str, client, lead) -> None:
    assert client.post("/login/", {"login": "lena", "password": "three-people", "next": target}).headers["Location"] == "/"


def test_five_wrong_ones_close_the_account_for_a_while(client, lead) -> None:
    """From wherever: the limit is the account's."""
    for n in range(5):
        assert "do not match" in attempt(client, "wrong", REMOTE_ADDR=f"10.0.0.{n}").content.decode()
    answer = attempt(client, "three-people", REMOTE_ADDR="10.0.0.9").content.decode()
    assert "Too many attempts. Wait five minutes" in answer


def test_twenty_wrong_ones_close_an_address_for_a_while(client, lead) -> None:
    for n in range(20):
        attempt(client, "wrong", name=f"guess-{n}")
    assert "Too many attempts" in attempt(client, "three-people").content.decode()
    assert attempt(client, "three-people", REMOTE_ADDR="10.0.0.9").status_code == 302


@pytest.mark.parametrize("address", ["/login/", "/password/"])
def test_a_form_without_its_secret_is_refused(address: str, client, lead) -> None:
    client.handler.enforce_csrf_checks = True
    assert client.post(address, {"login": "lena", "password": "three-people", "email": "lena@example.com"}).status_code == 403


def link(client, lead) -> str:
    lead.email = "lena@example.com"
    lead.save()
    assert client.post("/password/", {"email": "lena@example.com"}).headers["Location"] == "/password/sent/"
    (sent,) = mail.outbox
    assert (sent.to, sent.subject, sent.alternatives) == (["lena@example.com"], "A new password for GPU costs", [])
    assert "account lena of GPU costs" in sent.body
    return re.search(r"http://testserver(/password/new/\S+)", sent.body)[1]


def test_a_forgotten_password_is_replaced(client, lead) -> None:
    form = client.get(link(client, lead), follow=True)
    answer = client.post(form.request["PATH_INFO"], {"password1": "quite-another-one", "password2": "quite-another-one"})
    assert answer.headers["Location"] == "/password/changed/"
    assert attempt(client, "quite-another-one").status_code == 302
    newest = next(audit.lines())
    assert (newest.actor, newest.action, newest.subject, newest.after) == ("lena", "changed", "person", {"password": "***"})


def test_a_link_works_once_and_for_an_hour(client, lead, monkeypatch) -> None:
    address = link(client, lead)
    later = timezone.now().replace(tzinfo=None) + timedelta(minutes=61)
    monkeypatch.setattr("django.contrib.auth.tokens.PasswordResetTokenGenerator._now", lambda self: later)
    assert "This link has been used, or is older than an hour." in client.get(address, follow=True).content.decode()
    monkeypatch.undo()
    form = client.get(address, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": "quite-another-one", "password2": "quite-another-one"})
    client.logout()
    assert "This link has been used" in client.get(address, follow=True).content.decode()


def test_a_weak_new_password_is_refused(client, lead) -> None:
    form = client.get(link(client, lead), follow=True)
    assert "too short" in client.post(form.request["PATH_INFO"], {"password1": "short", "password2": "short"}).content.decode()


def test_whether_an_address_is_known_is_not_told(client, lead) -> None:
    assert client.post("/password/", {"email": "nobody@example.com"}).headers["Location"] == "/password/sent/"
    assert mail.outbox == []


def test_mails_to_one_address_are_limited(client, lead) -> None:
    lead.email = "lena@example.com"
    lead.save()
    codes = [client.post("/password/", {"email": "lena@example.com"}).status_code for _ in range(6)]
    assert codes == [302] * 5 + [429] and len(mail.outbox) == 5


@pytest.mark.parametrize("address", ["/signup/", "/accounts/signup/", "/accounts/email/", "/password/change/"])
def test_nobody_signs_up(address: str, client, db) -> None:
    assert client.get(address).status_code == 404


def test_a_closed_account_stays_out(client, lead) -> None:
    lead.is_active = False
    lead.save()
    assert "do not match" in attempt(client, "three-people").content.decode()
