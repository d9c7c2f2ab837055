"""manage.py create-admin: the first log-in."""

import secrets

from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from reports.demo import GROUP


class Command(BaseCommand):
    help = "Creates a person who may see and do everything."

    def add_arguments(self, parser):
        parser.add_argument("--username", default="admin")
        parser.add_argument("--password", help="made and printed once where it is not given")
        parser.add_argument("--email", default="", help="where a forgotten password can be replaced")
        parser.add_argument("--if-none", action="store_true", help="only if nobody can log in yet")

    def handle(self, *args, username, password, email, if_none, **options):
        people = get_user_model().objects
        if if_none and people.exclude(groups__name=GROUP).exists():
            return
        if people.filter(username=username).exists():
            raise CommandError(f"{username} exists already", returncode=2)
        made = password is None
        if made:
            password = secrets.token_urlsafe(15)
        else:
            _check(password)
        people.create_superuser(username=username, email=email, password=password)
        self.stdout.write(f"created {username}" + (f", password {password} (shown only now)" if made else ""))


def _check(password: str) -> None:
    try:
        validate_password(password)
    except ValidationError as error:
        raise CommandError("--password: " + " ".join(error.messages), returncode=2) from None
