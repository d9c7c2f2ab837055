"""manage.py doctor [--cluster C] [--format text|json]: the source as it is now, then what the ledger of the last seven days shows."""

import json
from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandError

from finops import queries
from finops.models import Cluster, ExchangeRate, Rate, TeamRule
from finops.times import now
from ingest.doctor import Configured, Diagnosis, examine, ledger_faults, unreachable
from ingest.open import open_source
from ingest.sources import SourceError


class Command(BaseCommand):
    help = "Asks each source what it lacks; says what that costs in accuracy and which line mends it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--cluster", help="default: all of them")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args, cluster, format, **options) -> None:
        clusters = Cluster.objects.filter(ended_at=None, **({"name": cluster} if cluster else {})).order_by("id")
        if not clusters:
            raise CommandError(f"no cluster {cluster}" if cluster else "no cluster: add one with manage.py apply FILE", returncode=2)
        configured = _configured()
        found = [diagnosis for row in clusters for diagnosis in _examined(row, configured)]
        found += ledger_faults([row.name for row in clusters], at=now(), zone=queries.zone(), currency=configured.currency)
        if format == "json":
            self.stdout.write(json.dumps([asdict(diagnosis) for diagnosis in found], indent=2))
        else:
            self.stdout.write("\n".join(map(_line, found)))
        if any(diagnosis.level == "fault" for diagnosis in found):
            raise SystemExit(1)


def _configured() -> Configured:
    exchange = frozenset(ExchangeRate.objects.values_list("currency", flat=True))
    return Configured(list(TeamRule.objects.order_by("position")), list(Rate.objects.order_by("id")), queries.currency(), exchange)


def _examined(cluster: Cluster, configured: Configured) -> list[Diagnosis]:
    try:
        return examine(cluster, open_source(cluster), configured=configured)
    except SourceError as error:
        return [unreachable(cluster, error)]


def _line(found: Diagnosis) -> str:
    """One line; the cost and what mends it indented below."""
    more = [f"       {name}: {text}" for name, text in (("costs", found.cost), ("mend", found.mend)) if text]
    return "\n".join([f"{found.level:5}  {found.cluster}  {found.check}: {found.message}", *(more if found.level != "ok" else [])])
