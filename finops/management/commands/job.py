"""manage.py job NAMESPACE/NAME"""

import json

from django.core.management.base import BaseCommand, CommandError

from finops.job.as_json import as_json
from finops.job.explain import explain
from finops.job.question import question
from finops.job.text import text
from finops.scope import Refused


class Command(BaseCommand):
    help = "One job explained: what it cost and why, phase by phase, with every input of its figures."

    def add_arguments(self, parser) -> None:
        parser.add_argument("job", metavar="NAMESPACE/NAME", help="the top-level workload, as `costs --group-by job` names it")
        parser.add_argument("--cluster", default="", help="where several have a job of that name")
        parser.add_argument("--kind", default="", help="as Job or CronJob, where one name is of several kinds")
        parser.add_argument("--run", default="", help="one run alone, as the list of runs names it")
        parser.add_argument("--start", default="", help="an hour, ISO 8601; default: all the ledger has of it")
        parser.add_argument("--end", default="", help="an hour, exclusive")
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument("--all", action="store_true", help="every pod, run, device and finding; json has them all anyway")

    def handle(self, *args, job, format, all, **options) -> None:
        asked = {name: options[name] for name in ("cluster", "kind", "run", "start", "end")}
        try:
            told = explain(question(job, **asked))
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(json.dumps(as_json(told), indent=1, ensure_ascii=False) if format == "json" else text(told, everything=all))
        if told.differences:
            raise SystemExit(1)
