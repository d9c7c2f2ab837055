"""Demo accounts: three with DEBUG on, and without it no log-in, no session, no token."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from reports.access import teams_of
from reports.demo import ACCOUNTS


@pytest.fixture
def printed(db, settings) -> str:
    settings.DEBUG = True
    out = StringIO()
    call_command("create-demo-users", stdout=out)
    settings.DEBUG = False
    return out.getvalue()


def test_the_table_holds_what_logs_in(printed, client, settings):
    settings.DEBUG = True
    for line, account in zip(printed.splitlines()[1:], ACCOUNTS, strict=True):
        user, password = line.split()[:2]
        assert user == account.username
        assert client.login(username=user, password=password)


def test_each_sees_what_the_table_says(printed):
    assert {account.username: teams_of(User.objects.get(username=account.username)) for account in ACCOUNTS} == {
        "finance": None,
        "fraud-lead": {"fraud"},
        "engineer": None,
    }


def test_a_second_time_changes_nothing(printed, settings):
    settings.DEBUG = True
    out = StringIO()
    call_command("create-demo-users", stdout=out)
    assert out.getvalue() == printed
    assert User.objects.count() == 3


def test_without_debug_no_log_in(printed, client):
    assert not client.login(username="finance", password=ACCOUNTS[0].password)


def test_without_debug_no_session_goes_on(printed, client, settings):
    settings.DEBUG = True
    client.login(username="finance", password=ACCOUNTS[0].password)
    assert client.get("/api/v1/costs?start=2026-11-01&end=2026-11-02").status_code == 200
    settings.DEBUG = False
    assert client.get("/").status_code == 302
    assert client.get("/api/v1/costs?start=2026-11-01&end=2026-11-02").status_code == 401


def test_without_debug_no_token(printed, client, settings, bearer):
    headers = bearer(User.objects.get(username="finance"), "read")
    ask = "/api/v1/costs?start=2026-11-01&end=2026-11-02"
    assert client.get(ask, headers=headers).status_code == 401
    settings.DEBUG = True
    assert client.get(ask, headers=headers).status_code == 200


def test_without_debug_none_is_made(db):
    with pytest.raises(CommandError, match="DEBUG=true only"):
        call_command("create-demo-users")
    assert User.objects.count() == 0


def test_somebody_real_of_that_name_is_left_alone(db, settings):
    settings.DEBUG = True
    real = User.objects.create_user("finance", password="somebody-real")
    errors = StringIO()
    call_command("create-demo-users", stdout=StringIO(), stderr=errors)
    assert "finance: exists already" in errors.getvalue()
    real.refresh_from_db()
    assert real.check_password("somebody-real") and not real.groups.exists()


def test_demo_accounts_alone_do_not_keep_an_administrator_from_being_made(printed):
    out = StringIO()
    call_command("create-admin", "--if-none", stdout=out)
    assert out.getvalue().startswith("created admin, password ")
