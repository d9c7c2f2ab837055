"""The page's doors, its policy and its three kinds of nothing."""

import re

import pytest
from django.contrib.auth.models import User


def test_a_page_needs_a_log_in(client, db):
    assert client.get("/").headers["Location"] == "/login/?next=/"


def test_a_wrong_password_says_one_line(client, lead):
    answer = client.post("/login/", {"login": "lena", "password": "wrong"})
    assert answer.content.decode().count("User name and password do not match.") == 1


@pytest.mark.parametrize("address", ["/", "/?window=lastmonth", "/?team=fraud", "/?start=2026-11-01&end=2026-11-02"])
def test_no_inline_script_or_style(client, lead, address):
    client.force_login(lead)
    answer = client.get(address)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
    assert all("src=" in tag or "application/json" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]


def test_a_foreign_team_looks_like_none(client, other):
    client.force_login(other)
    foreign, missing = (client.get(f"/?team={team}").content.decode() for team in ("fraud", "zork"))
    tokens = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')
    assert tokens.sub("", foreign.replace("fraud", "zork")) == tokens.sub("", missing)


def test_without_a_team_the_page_says_so(client, db):
    client.force_login(User.objects.create_user("nora"))
    assert "You belong to no team" in client.get("/").content.decode()


def test_nothing_connected_names_the_command(client, all_seeing):
    client.force_login(all_seeing)
    assert "manage.py apply" in client.get("/").content.decode()


def test_a_wrong_bound_is_named_on_the_page(client, lead):
    client.force_login(lead)
    answer = client.get("/?start=2026-11-01T00:30&end=2026-11-02")
    assert answer.status_code == 400
    assert "is not on the hour" in answer.content.decode()


def test_health(client, db):
    assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200
