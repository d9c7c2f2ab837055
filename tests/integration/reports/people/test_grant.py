"""manage.py grant."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from reports.access import is_admin, sees_all, teams_of

pytestmark = pytest.mark.django_db


def grant(*words: str) -> None:
    call_command("grant", *words)


def test_a_person_is_made_and_led_to_a_team(capsys) -> None:
    grant("--user", "lena", "--create", "--email", "lena@example.com", "--role", "lead", "--team", "fraud")
    told = capsys.readouterr().out
    lena = User.objects.get()
    assert lena.check_password(told.split("password ")[1].split()[0]) and lena.email == "lena@example.com"
    assert teams_of(lena) == {"fraud"}
    grant("--user", "lena", "--role", "lead", "--team", "fraud", "--revoke")
    assert teams_of(lena) == frozenset()


def test_roles_that_see_all() -> None:
    olga = User.objects.create_user("olga")
    grant("--user", "olga", "--role", "engineer")
    assert sees_all(User.objects.get()) and not is_admin(User.objects.get())
    grant("--user", "olga", "--role", "engineer", "--revoke")
    assert not sees_all(User.objects.get(pk=olga.pk))


def test_the_list(capsys) -> None:
    User.objects.create_user("nora")
    grant("--group", "ml-fraud", "--role", "viewer", "--team", "fraud")
    grant("--group", "platform", "--role", "admin")
    capsys.readouterr()
    grant()
    assert capsys.readouterr().out.splitlines() == ["user nora: sees nothing", "group ml-fraud: viewer of fraud", "group platform: admin"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--user", "nobody", "--role", "finance"], "there is no such person; --create makes one"),
        (["--user", "nora", "--role", "viewer"], "name the --team"),
        (["--group", "g", "--role", "admin", "--team", "fraud"], "leave --team out"),
        (["--group", "g"], "--role is needed"),
        (["--group", "g", "--role", "admin", "--revoke"], "has no such role"),
        (["--user", "nora", "--role", "finance", "--revoke"], "has no such role"),
        (["--user", "nora", "--email", "not an address"], "is no e-mail address"),
    ],
)
def test_one_line_for_what_is_wrong(words: list[str], told: str) -> None:
    User.objects.create_user("nora")
    with pytest.raises(CommandError, match=told) as raised:
        grant(*words)
    assert raised.value.returncode == 2
