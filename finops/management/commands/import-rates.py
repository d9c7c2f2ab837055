"""manage.py import-rates FILE.csv [--dry-run]"""

from datetime import UTC, datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from finops import queries
from finops.configuration.price_list import HEADER, parse
from finops.configuration.problems import Invalid
from finops.configuration.specs import Configuration
from finops.list_prices import doubts
from finops.price_list import bring_in


class Command(BaseCommand):
    help = f"Adds a price list. Its header: {HEADER} (currency and price or instance_price at least)."

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--dry-run", action="store_true")

    def handle(self, *args, file: Path, dry_run: bool, **options) -> None:
        try:
            rates = parse(file.read_text(encoding="utf-8"), zone=queries.zone())
            changes = bring_in(rates, now=datetime.now(UTC), dry_run=dry_run)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}", returncode=2) from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{file}: not UTF-8 text at byte {error.start}; save it as CSV UTF-8", returncode=2) from error
        except Invalid as error:
            raise CommandError("\n".join(f"{file}: {problem}" for problem in error.errors), returncode=2) from error
        for line in changes or ["nothing to change"]:
            self.stdout.write(("would change: " if dry_run and changes else "") + line)
        for doubt in doubts(Configuration(rates=rates)):
            self.stdout.write(f"{file}: {doubt}")
