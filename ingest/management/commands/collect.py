"""manage.py collect [--cluster C] [--start T --end T]"""

from datetime import datetime, timedelta

from django.core.management.base import BaseCommand, CommandError

from finops import pipeline, queries
from finops.accounting.calendar import hour_floor, hours
from finops.models import Cluster
from finops.scope import Refused, Window
from finops.times import now, settled, window
from ingest import scrapes, windows
from ingest.collect import Progress, collect
from ingest.open import open_source
from ingest.sources import SourceError

FIRST_LOOK = timedelta(days=1)


class Command(BaseCommand):
    help = "Fetches and stores a window's facts (default: from the watermark to now) and brings the ledger up to date."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--cluster", help="default: all of them")
        parser.add_argument("--start", help="an hour, ISO 8601, like 2026-11-01 or 2026-11-01T14:00; local time where no offset stands")
        parser.add_argument("--end", help="an hour, exclusive")

    def handle(self, *args, cluster, start, end, **options) -> None:
        clusters = Cluster.objects.filter(ended_at=None, **({"name": cluster} if cluster else {})).order_by("id")
        if not clusters:
            raise CommandError(f"no cluster {cluster}" if cluster else "no cluster: add one with manage.py apply FILE", returncode=2)
        if bool(start) != bool(end):
            raise CommandError("give --start and --end together, or neither", returncode=2)
        try:
            span = window(start, end, zone=queries.zone()) if start else None
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        problems = [line for row in clusters for line in self._one(row, span)]
        if problems:
            raise CommandError("\n".join(problems))

    def _one(self, cluster: Cluster, span: Window | None) -> list[str]:
        until = settled(now())
        reach = _reach(span, until)
        todo = [hour for hour in hours(*_bounds(cluster, span, until), zone=queries.zone()) if hour[0] < reach]
        if "exporters" in cluster.source and (gone := scrapes.dropped(cluster) & {begin for begin, _ in todo}):
            self.stderr.write(f"cluster {cluster.name}: {len(gone)} hours stay as they are: their pages are no longer kept")
            todo = [hour for hour in todo if hour[0] not in gone]
        try:
            source = open_source(cluster)
            problems = collect(cluster, todo, source=source, until=reach, settled=until, progress=self._progress(len(todo), cluster.name))
        except SourceError as error:
            problems = [str(error)]
        pipeline.account(cluster)
        return problems

    def _progress(self, whole: int, name: str) -> Progress:
        done = 0

        def step(n: int) -> None:
            nonlocal done
            done += n
            if self.stderr.isatty():
                self.stderr.write(f"\r{name}: {done} of {whole} hours", str, ending="\n" if done == whole else "")

        return step


def _reach(span: Window | None, until: datetime) -> datetime:
    """Up to when samples may have come: now, save for a window that lies wholly ahead, as a simulation's may."""
    return span.end if span and (span.end <= until or span.start >= until) else until


def _bounds(cluster: Cluster, span: Window | None, until: datetime) -> tuple[datetime, datetime]:
    """The window asked for; else from the first hour not done, or a day back where nothing was collected yet."""
    if span:
        return span.start, span.end
    return windows.watermark(cluster.id) or hour_floor(until - FIRST_LOOK, zone=queries.zone()), until
