"""manage.py create-demo-users: three log-ins of the demo company, with DEBUG on only."""

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandError

from reports.demo import ACCOUNTS, GROUP, Account
from reports.models import Membership


class Command(BaseCommand):
    help = "Makes the demo company's three log-ins and prints them. They are refused wherever DEBUG is off."

    def handle(self, *args, **options) -> None:
        if not settings.DEBUG:
            raise CommandError("demo accounts have known passwords: they exist with DEBUG=true only", returncode=2)
        for account in ACCOUNTS:
            if not _made(account):
                self.stderr.write(f"{account.username}: exists already and is no demo account; left as it is")
        for line in _table():
            self.stdout.write(line)


def _made(account: Account) -> bool:
    """False where somebody real has the name."""
    person, new = User.objects.get_or_create(username=account.username)
    if not new and not person.groups.filter(name=GROUP).exists():
        return False
    if new:
        person.set_password(account.password)
        person.save()
    names = [GROUP, account.group] if account.group else [GROUP]
    person.groups.set([Group.objects.get_or_create(name=name)[0] for name in names])
    if account.leads:
        Membership.objects.update_or_create(user=person, team=account.leads, defaults={"role": Membership.Role.LEAD})
    return True


def _table() -> list[str]:
    rows = [("user", "password", ""), *((account.username, account.password, account.role) for account in ACCOUNTS)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
