"""manage.py collect [--cluster C] [--start T --end T]"""

from datetime import UTC, datetime, timedelta

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from finops import pipeline, queries
from finops.accounting.calendar import hour_floor, hours
from finops.models import Cluster
from finops.scope import Refused
from finops.times import settled, window
from ingest.collect import collect
from ingest.open import open_source
from ingest.sources import SourceError

FIRST_LOOK = timedelta(days=1)


class Command(BaseCommand):
    help = "Fetches and stores a window's facts (default: from the watermark to now) and brings the ledger up to date."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--cluster")
        parser.add_argument("--start")
        parser.add_argument("--end")

    def handle(self, *args, cluster, start, end, **options) -> None:
        clusters = Cluster.objects.filter(ended_at=None, **({"name": cluster} if cluster else {})).order_by("id")
        if not clusters:
            raise CommandError(f"no cluster {cluster}" if cluster else "no cluster: add one with manage.py apply FILE", returncode=2)
        if bool(start) != bool(end):
            raise CommandError("give --start and --end together, or neither", returncode=2)
        problems = [line for row in clusters for line in self._one(row, start, end)]
        if problems:
            raise CommandError("\n".join(problems))

    def _one(self, cluster: Cluster, start, end) -> list[str]:
        zone, until = queries.zone(), settled(datetime.now(UTC))
        try:
            span = window(start, end, zone=zone) if start else None
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        begin = span.start if span else _watermark(cluster, until, zone)
        todo = list(hours(begin, span.end if span else until, zone=zone))
        try:
            problems = collect(
                cluster,
                todo,
                source=open_source(cluster),
                until=until if not span else max(until, span.end),
                settled=until,
                progress=self._progress(len(todo), cluster.name),
            )
        except SourceError as error:
            problems = [str(error)]
        pipeline.account(cluster)
        return problems

    def _progress(self, whole: int, name: str):
        done = 0

        def step(n: int) -> None:
            nonlocal done
            done += n
            if self.stderr.isatty():
                self.stderr.write(f"\r{name}: {done} of {whole} hours", ending="\n" if done == whole else "")

        return step


def _watermark(cluster: Cluster, until: datetime, zone) -> datetime:
    """The first hour not done; a day back where nothing was collected yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select coalesce(min(start) filter (where state <> 'done'), max(\"end\")) from collection_window where cluster_id = %s",
            [cluster.id],
        )
        mark = cursor.fetchone()[0]
    return mark or hour_floor(until - FIRST_LOOK, zone=zone)
