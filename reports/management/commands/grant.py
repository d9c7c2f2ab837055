"""manage.py grant: what people, and groups of the identity provider, may see and do."""

import secrets

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import transaction

from reports.models import Grant, Membership

OF_A_TEAM = tuple(Membership.Role.values)
OF_ALL = ("engineer", "finance", "admin")


class Command(BaseCommand):
    help = "Grants a role to a person or to a group of the identity provider, or takes it away; without arguments it lists all of them."

    def add_arguments(self, parser):
        whom = parser.add_mutually_exclusive_group()
        whom.add_argument("--user", help="a person's user name")
        whom.add_argument("--group", help="a group as the identity provider names it")
        parser.add_argument("--role", choices=(*OF_A_TEAM, *OF_ALL), help="viewer and lead are of a team, the others see every team")
        parser.add_argument("--team", default="", help="the team of a viewer or lead")
        parser.add_argument("--revoke", action="store_true", help="takes the role away")
        parser.add_argument("--create", action="store_true", help="makes the person if need be; the password is printed once")
        parser.add_argument("--email", help="the person's address, where a forgotten password can be replaced")

    def handle(self, *args, user, group, role, team, revoke, create, email, **options):
        if not user and not group:
            return self._list()
        if role and (role in OF_A_TEAM) != bool(team):
            raise CommandError(f"--role {role}: " + ("name the --team" if role in OF_A_TEAM else "sees every team; leave --team out"), returncode=2)
        if not role and not (user and (create or email)):
            raise CommandError("--role is needed", returncode=2)
        if email:
            _check(email)
        with transaction.atomic():
            told = self._of_group(group, role, team, revoke=revoke) if group else self._of_person(user, role, team, revoke, create, email)
        self.stdout.write(told)

    def _list(self) -> None:
        for person in User.objects.order_by("username").prefetch_related("groups", "memberships"):
            roles = [*(["superuser"] if person.is_superuser else []), *(g.name for g in person.groups.all())]
            roles += [f"{m.role} of {m.team}" for m in person.memberships.all()]
            state = "" if person.is_active else " (closed)"
            self.stdout.write(f"user {person.username}{state}: {', '.join(roles) or 'sees nothing'}")
        for grant in Grant.objects.order_by("group", "role", "team"):
            self.stdout.write(str(grant))

    def _of_group(self, group: str, role: str, team: str, *, revoke: bool) -> str:
        if revoke:
            if not Grant.objects.filter(group=group, role=role, team=team).delete()[0]:
                raise CommandError(f"group {group} has no such role", returncode=2)
        else:
            Grant.objects.get_or_create(group=group, role=role, team=team)
        return _told(f"group {group}", role, team, revoke=revoke)

    def _of_person(self, name: str, role: str | None, team: str, revoke: bool, create: bool, email: str | None) -> str:
        person, made = _person(name, create=create, email=email)
        if not role:
            return f"user {name}: kept{made}"
        if revoke:
            taken = person.memberships.filter(team=team, role=role).delete()[0] if team else person.groups.filter(name=role).exists()
            if not taken:
                raise CommandError(f"user {name} has no such role", returncode=2)
            if not team:
                person.groups.remove(Group.objects.get(name=role))
        elif team:
            Membership.objects.update_or_create(user=person, team=team, defaults={"role": role})
        else:
            person.groups.add(Group.objects.get_or_create(name=role)[0])
        return _told(f"user {name}", role, team, revoke=revoke) + made


def _person(name: str, *, create: bool, email: str | None) -> tuple[User, str]:
    person = User.objects.filter(username=name).first()
    if person is None and not create:
        raise CommandError(f"--user {name}: there is no such person; --create makes one", returncode=2)
    if person is None:
        password = secrets.token_urlsafe(15)
        return User.objects.create_user(username=name, email=email or "", password=password), f", password {password} (shown only now)"
    if email and person.email != email:
        person.email = email
        person.save(update_fields=["email"])
    return person, ""


def _check(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        raise CommandError(f"--email {email}: is no e-mail address", returncode=2) from None


def _told(whom: str, role: str | None, team: str, *, revoke: bool) -> str:
    return f"{whom}: {'no longer ' if revoke else ''}{role}" + (f" of {team}" if team else "")
