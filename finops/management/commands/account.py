"""manage.py account [--cluster C] --start T --end T"""

from django.core.management.base import BaseCommand, CommandError

from finops import pipeline, queries
from finops.models import Cluster
from finops.scope import Refused
from finops.times import window


class Command(BaseCommand):
    help = "Recomputes the ledger of a window from stored facts."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--cluster")
        parser.add_argument("--start", required=True)
        parser.add_argument("--end", required=True)

    def handle(self, *args, cluster, start, end, **options) -> None:
        try:
            span = window(start, end, zone=queries.zone())
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        clusters = Cluster.objects.filter(**({"name": cluster} if cluster else {})).order_by("id")
        count = sum(pipeline.account(row, start=span.start, end=span.end) for row in clusters)
        self.stdout.write(f"{count} hours accounted")
