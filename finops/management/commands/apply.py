"""manage.py apply FILE [--dry-run | --if-changed]"""

from datetime import UTC, datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from finops.applied import Contradiction, apply_file, apply_if_changed
from finops.apply import apply
from finops.configuration.schema import Configuration, Invalid, parse
from finops.list_prices import doubts


class Command(BaseCommand):
    help = "Validates a configuration file as a whole and applies it in one transaction."

    def add_arguments(self, parser) -> None:
        parser.add_argument("file")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--dry-run", action="store_true", help="print what would change")
        way.add_argument(
            "--if-changed",
            action="store_true",
            help="only if the file changed since it was last applied, and keep what was edited elsewhere; no file at all is fine",
        )

    def handle(self, *args, file: str, dry_run: bool, if_changed: bool, **options) -> None:
        if if_changed and not file:
            return
        try:
            text = Path(file).read_text()
            wanted = parse(text)
            path, now = str(Path(file).resolve()), datetime.now(UTC)
            if if_changed:
                self._if_changed(text, file=file, path=path, now=now)
            else:
                changes = apply(wanted, now=now, dry_run=True) if dry_run else apply_file(text, path=path, now=now)
                for line in changes or ["nothing to change"]:
                    self.stdout.write(("would change: " if dry_run and changes else "") + line)
                self._doubts(wanted, file=file)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file}: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}", returncode=2) from error
        except Invalid as error:
            raise CommandError("\n".join(f"{file}: {problem}" for problem in error.errors), returncode=2) from error
        for section in wanted.not_in_force():
            self.stdout.write(f"{section}: valid, not yet in force")

    def _doubts(self, wanted: Configuration, *, file: str) -> None:
        for doubt in doubts(wanted):
            self.stdout.write(f"{file}: {doubt}")

    def _if_changed(self, text: str, *, file: str, path: str, now: datetime) -> None:
        try:
            outcome = apply_if_changed(text, path=path, now=now)
        except Contradiction as error:
            raise CommandError(f"{file}: {error}; `manage.py apply {file}` lets the file win") from error
        if outcome.since:
            self.stdout.write(f"{file}: unchanged since it was applied, {outcome.since:%Y-%m-%d %H:%M} UTC")
            return
        for line in outcome.changes or ("nothing to change",):
            self.stdout.write(f"{file}: {line}")
        for line in outcome.kept:
            self.stdout.write(f"{file}: {line}")
        if outcome.kept:
            self.stdout.write(f"{file}: `manage.py apply {file}` lets the file win")
        self._doubts(parse(text), file=file)
