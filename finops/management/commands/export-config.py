"""manage.py export-config"""

from datetime import UTC, datetime

from django.core.management.base import BaseCommand

from finops.configuration.export import dump
from finops.export import configuration


class Command(BaseCommand):
    help = "Prints the configuration as YAML that apply accepts and that changes nothing."

    def handle(self, *args, **options) -> None:
        self.stdout.write(dump(configuration(now=datetime.now(UTC))), ending="")
