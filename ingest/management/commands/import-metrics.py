"""manage.py import-metrics FILE --cluster C"""

from datetime import UTC, datetime, timedelta

from django.core.management.base import BaseCommand, CommandError

from finops import pipeline, queries
from finops.accounting.calendar import hour_floor, hours
from finops.models import Cluster
from ingest.collect import collect
from ingest.sources import SourceError
from ingest.sources.openmetrics import open_file

NEXT_SCRAPE = timedelta(minutes=2)  # a file whose next sample would lie beyond the hour holds the whole of it


class Command(BaseCommand):
    help = "Reads OpenMetrics text with timestamps (also gzip) into a cluster; its hours replace those that are stored."

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", help="OpenMetrics text with timestamps, plain or gzip")
        parser.add_argument("--cluster", required=True, help="whose samples they are")

    def handle(self, *args, file, cluster, **options) -> None:
        row = Cluster.objects.filter(name=cluster, ended_at=None).first()
        if row is None:
            raise CommandError(f"no cluster {cluster}: add it with manage.py apply FILE", returncode=2)
        try:
            source = open_file(file)
        except SourceError as error:
            raise CommandError(str(error), returncode=2) from error
        first, last = (datetime.fromtimestamp(t, UTC) for t in source.span(until=0.0))
        end = last + timedelta(seconds=1)
        todo = list(hours(hour_floor(first, zone=queries.zone()), end, zone=queries.zone()))
        if todo[-1][1] - last <= NEXT_SCRAPE:
            end = todo[-1][1]
        problems = collect(row, todo, source=source, until=end, settled=end)
        pipeline.account(row)
        if problems:
            raise CommandError("\n".join(problems))
        self.stdout.write(f"{cluster}: {len(todo)} hours, {first.isoformat()} to {last.isoformat()}")
