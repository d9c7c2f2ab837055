"""manage.py audit: who changed money or rights, when, from what to what."""

import json
from dataclasses import asdict
from datetime import datetime

from django.core.management.base import BaseCommand, CommandError

from finops import audit, queries
from finops.scope import Refused
from reports.params import instant


class Command(BaseCommand):
    help = "Prints the audit log, the newest line first."

    def add_arguments(self, parser):
        parser.add_argument("--start", help="an hour, ISO 8601")
        parser.add_argument("--end", help="an hour, exclusive")
        parser.add_argument("--limit", type=int, default=100, help="lines at most (default 100)")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args, start, end, limit, format, **options):
        zone = queries.zone()

        def bound(text: str | None, name: str) -> datetime | None:
            try:
                return instant(text, name=name, zone=zone) if text else None
            except Refused as error:
                raise CommandError(str(error), returncode=2) from None

        for line in audit.lines(start=bound(start, "--start"), end=bound(end, "--end"), most=limit):
            at = line.at.astimezone(zone).isoformat(timespec="seconds")
            self.stdout.write(json.dumps(asdict(line) | {"at": at}) if format == "json" else _line(at, line))


def _line(at: str, line: audit.Line) -> str:
    names = sorted({*(line.before or {}), *(line.after or {})} - {"id"})
    if line.action == "changed":
        parts = [f"{name} {_text((line.before or {}).get(name))} → {_text((line.after or {}).get(name))}" for name in names]
    else:
        parts = [f"{name} {_text(value)}" for name in names if (value := (line.after or line.before or {}).get(name)) not in ("", None, [], {})]
    return f"{at}  {line.actor}  {line.action} {line.subject} {line.row}: {', '.join(parts)}"


def _text(value: object) -> str:
    return value if isinstance(value, str) and value else json.dumps(value)
