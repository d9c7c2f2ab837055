"""manage.py apply FILE [--dry-run]"""

from datetime import UTC, datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from finops.apply import apply
from finops.configuration.schema import Invalid, parse


class Command(BaseCommand):
    help = "Validates a configuration file as a whole and applies it in one transaction."

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--dry-run", action="store_true")

    def handle(self, *args, file: Path, dry_run: bool, **options) -> None:
        try:
            wanted = parse(file.read_text())
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}", returncode=2) from error
        except Invalid as error:
            raise CommandError("\n".join(f"{file}: {problem}" for problem in error.errors), returncode=2) from error
        changes = apply(wanted, now=datetime.now(UTC), dry_run=dry_run)
        for line in changes or ["nothing to change"]:
            self.stdout.write(("would change: " if dry_run and changes else "") + line)
        for section in wanted.not_in_force():
            self.stdout.write(f"{section}: valid, not yet in force")
