"""Whatever changes money or rights leaves a line."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from finops import audit
from finops.apply import apply
from finops.configuration.schema import parse
from finops.models import Rate
from reports.models import ApiToken, Grant, Membership

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def ada(monkeypatch) -> None:
    """Lines of tests that committed theirs stay for ever, so only those from here on are looked at."""
    audit.acting("ada")
    with connection.cursor() as cursor:
        cursor.execute("select clock_timestamp()")
        (now,) = cursor.fetchone()
    every = audit.lines
    monkeypatch.setattr(audit, "lines", lambda **asked: every(**{"start": now} | {name: value for name, value in asked.items() if value}))


def told() -> list[tuple]:
    """Oldest first, without ids."""
    found = [(line.actor, line.action, line.subject, line.before, line.after) for line in audit.lines()]
    return [(*row[:3], *({k: v for k, v in side.items() if k != "id"} if side else side for side in row[3:])) for row in reversed(found)]


def test_a_rate_is_added_and_ends() -> None:
    rate = Rate.objects.create(gpu_model="A100", price="3.80", currency="CHF")
    Rate.objects.filter(pk=rate.pk).update(end=NOW)
    added, ended = told()
    assert added[:4] == ("ada", "added", "rate", None) and (added[4]["gpu_model"], added[4]["price"]) == ("A100", 3.8)
    assert ended == ("ada", "changed", "rate", {"end": None}, {"end": "2026-11-03T12:00:00+00:00"})


def test_a_configuration_file() -> None:
    text = "currency: EUR\nteams:\n  - {name: fraud, match: {namespace: fraud}}\n  - {name: risk, match: {namespace: risk}}\n"
    apply(parse(text), now=NOW)
    apply(parse(text), now=NOW)
    assert [(line[1], line[2]) for line in told()] == [("added", "settings"), ("added", "team rule"), ("added", "team rule")]
    apply(parse(text.replace("namespace: risk", "namespace: r")), now=NOW)
    assert told()[3:] == [("ada", "changed", "team rule", {"match": {"namespace": "risk"}}, {"match": {"namespace": "r"}})]


def test_rights() -> None:
    lena = User.objects.create_user("lena", password="never-in-the-log")
    Membership.objects.create(user=lena, team="fraud", role="lead")
    lena.groups.add(Group.objects.create(name="finance"))
    Grant.objects.create(group="gpu", role="viewer", team="risk")
    text = ApiToken.issue(lena, scopes=["read"], expires=NOW + timedelta(days=1))
    ApiToken.objects.update(revoked_at=NOW)
    User.objects.update(is_superuser=True)
    lines = told()
    assert [(line[1], line[2]) for line in lines] == [
        ("added", "person"), ("added", "membership"), ("added", "role"), ("added", "group grant"), ("added", "API token"),
        ("changed", "API token"), ("changed", "person"),
    ]  # fmt: skip
    assert lines[2][4] == {"user": "lena", "group": "finance"} and lines[1][4]["user"] == "lena"  # people read it
    assert lines[-1][3:] == ({"is_superuser": False}, {"is_superuser": True})
    assert lines[0][4]["password"] == lines[4][4]["digest"] == "***"
    assert not any(secret in repr(lines) for secret in ("never-in-the-log", text, lena.password, ApiToken.objects.get().digest))


def test_a_new_password_is_told_without_it() -> None:
    lena = User.objects.create_user("lena", password="the first one")
    lena.set_password("the second one")
    lena.save()
    assert told()[1:] == [("ada", "changed", "person", {"password": "***"}, {"password": "***"})]


def test_looking_changes_nothing() -> None:
    lena = User.objects.create_user("lena")
    ApiToken.issue(lena, scopes=["read"], expires=NOW)
    before = told()
    User.objects.update(last_login=NOW)
    ApiToken.objects.update(last_used=NOW)
    assert told() == before


@pytest.mark.parametrize("statement", ["update audit_line set actor = 'nobody'", "delete from audit_line", "truncate audit_line"])
def test_a_line_stays(statement: str) -> None:
    Rate.objects.create(price="1", currency="CHF")
    with pytest.raises(DatabaseError, match="neither changed nor deleted"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert len(told()) == 1


def test_nobody_named_is_the_database_user() -> None:
    audit.acting("")
    Rate.objects.create(price="1", currency="CHF")
    assert told()[0][0].startswith("database user ")


def test_a_request_is_its_persons(client) -> None:
    person = User.objects.create_superuser("olga")
    client.force_login(person)
    client.post("/logout/")
    Rate.objects.create(price="1", currency="CHF")
    assert told()[-1][0] == "olga"


def test_the_command_prints_it(capsys) -> None:
    Rate.objects.create(gpu_model="A100", price="3.80", currency="CHF")
    Rate.objects.update(end=NOW)
    call_command("audit")
    newest, oldest = capsys.readouterr().out.splitlines()
    assert newest.split("  ", 1)[1].startswith("ada  changed rate ") and newest.endswith("end null → 2026-11-03T12:00:00+00:00")
    assert "gpu_model A100, price 3.8" in oldest
