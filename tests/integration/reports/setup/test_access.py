"""Who gets in: an admin everywhere, those who see all to the collection page, a team nowhere."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from finops.models import TeamRule, Trial

PAGES = ["/setup/", "/setup/collecting/", "/setup/collecting/eks", "/setup/teams", "/setup/prices"]


def statuses(client, person: User, pages: list[str]) -> list[int]:
    client.force_login(person)
    return [client.get(page).status_code for page in pages]


def test_three_people(client, collected, tried, admin, all_seeing, lead) -> None:
    pages = [*PAGES, f"/setup/trial/{tried.pk}"]
    assert statuses(client, admin, pages) == [200, 200, 200, 200, 200, 200]
    assert statuses(client, all_seeing, pages) == [403, 200, 200, 403, 403, 403]
    assert statuses(client, lead, pages) == [403, 403, 403, 403, 403, 403]


def test_without_a_log_in_every_page_asks_for_one(client, db) -> None:
    answers = [client.get(page) for page in PAGES]
    assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [(302, f"/login/?next={page}") for page in PAGES]


def test_the_group_admin_is_as_good_as_a_superuser(client, db) -> None:
    person = User.objects.create_user("grace")
    person.groups.add(Group.objects.create(name="admin"))
    assert statuses(client, person, ["/setup/", "/setup/teams"]) == [200, 200]


@pytest.mark.parametrize("page", ["/setup/", "/setup/teams", "/setup/prices"])
def test_nobody_else_writes(client, all_seeing, lead, page) -> None:
    for person in (all_seeing, lead):
        client.force_login(person)
        answer = client.post(page, {"url": "http://127.0.0.1:9", "do": "save", "rule": '{"from_pod_label": "team"}'})
        assert answer.status_code == 403
    assert not Trial.objects.exists() and not TeamRule.objects.exists()


def test_a_post_without_its_token_is_refused(admin) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    assert client.post("/setup/", {"url": "http://127.0.0.1:9"}).status_code == 403
    assert not Trial.objects.exists()


def test_no_inline_script_or_style(as_admin, collected, tried) -> None:
    for page in [*PAGES, f"/setup/trial/{tried.pk}"]:
        answer = as_admin.get(page)
        text = answer.content.decode()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
        assert "script-src 'self';" in answer.headers["Content-Security-Policy"]


def test_the_navigation_shows_each_what_they_may_open(client, admin, all_seeing, lead) -> None:
    shown = {}
    for person in (admin, all_seeing, lead):
        client.force_login(person)
        text = client.get("/").content.decode()
        shown[person.username] = [name for name in ("/setup/collecting/", "/setup/") if f'href="{name}"' in text]
    assert shown == {"ada": ["/setup/collecting/", "/setup/"], "frances": ["/setup/collecting/"], "lena": []}


def test_a_fresh_installation_shows_the_way_in(client, admin, all_seeing) -> None:
    client.force_login(admin)
    assert "Connect a cluster" in client.get("/").content.decode()
    client.force_login(all_seeing)
    text = client.get("/").content.decode()
    assert "Connect a cluster" not in text and "Whoever administers this installation" in text
