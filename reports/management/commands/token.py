"""manage.py token: a script's key to the API."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from reports.models import SCOPES, ApiToken


class Command(BaseCommand):
    help = "Issues an API token and prints it once, lists tokens, or revokes one."

    def add_arguments(self, parser):
        parser.add_argument("--user", help="whose rights it carries")
        parser.add_argument("--scope", action="append", default=[], help=f"of {', '.join(SCOPES)}; may be repeated")
        parser.add_argument("--days", type=int, default=365, help="until it expires (default 365)")
        parser.add_argument("--name", default="", help="what it is for, as lists show it")
        parser.add_argument("--list", action="store_true", help="every token, or with --user a person's: what it may, until when, and its last use")
        parser.add_argument("--revoke", metavar="PREFIX", help="the part between fin_ and the next _")

    def handle(self, *args, user, scope, days, name, revoke, **options):
        now = datetime.now(UTC)
        if options["list"]:
            return self._list(user, now)
        if revoke:
            return self._revoke(revoke, now)
        scopes = list(dict.fromkeys(part for text in scope for part in text.split(",") if part))
        _check(user, scopes, days, name)
        person = get_user_model().objects.filter(username=user).first()
        if person is None:
            raise CommandError(f"--user {user}: there is no such person", returncode=2)
        self.stdout.write(ApiToken.issue(person, scopes=scopes, expires=now + timedelta(days=days), name=name))

    def _list(self, user: str | None, now: datetime) -> None:
        chosen = ApiToken.objects.select_related("user").order_by("user__username", "created", "id")
        for token in chosen.filter(user__username=user) if user else chosen:
            state = "revoked" if token.revoked_at else "in force" if token.in_force(now) else "expired"
            used = f"last used {_day(token.last_used)}" if token.last_used else "never used"
            words = (token.user.get_username(), f"fin_{token.prefix}_…", token.name, ",".join(token.scopes), state, f"until {_day(token.expires)}", used)
            self.stdout.write("  ".join(word for word in words if word))

    def _revoke(self, prefix: str, now: datetime) -> None:
        if not ApiToken.objects.filter(prefix=prefix, revoked_at=None).update(revoked_at=now):
            raise CommandError(f"--revoke {prefix}: no token in force has this prefix", returncode=2)
        self.stdout.write(f"revoked fin_{prefix}_…")


def _day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _check(user: str | None, scopes: list[str], days: int, name: str) -> None:
    if not user or not scopes:
        raise CommandError("--user and --scope are needed", returncode=2)
    if wrong := [scope for scope in scopes if scope not in SCOPES]:
        raise CommandError(f"--scope {wrong[0]}: known are {', '.join(SCOPES)}", returncode=2)
    if len(name) > 100 or not (name.isprintable()):
        raise CommandError("--name: at most 100 printable characters", returncode=2)
    if not 1 <= days <= 3650:
        raise CommandError(f"--days {days}: from 1 to 3650", returncode=2)
