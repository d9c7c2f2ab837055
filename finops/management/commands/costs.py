"""manage.py costs --start T --end T --group-by K[,K]"""

import csv
import json

from django.core.management.base import BaseCommand, CommandError

from finops import queries
from finops.scope import Refused, Scope
from finops.times import window


class Command(BaseCommand):
    help = "What the API's /costs returns: same names, same figures, every row."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--start", required=True)
        parser.add_argument("--end", required=True)
        parser.add_argument("--group-by", default="team")
        parser.add_argument("--cluster", action="append", default=[])
        parser.add_argument("--step", default="total")
        parser.add_argument("--filter", action="append", default=[], metavar="K=V")
        parser.add_argument("--format", choices=("table", "json", "csv"), default="table")

    def handle(self, *args, **options) -> None:
        try:
            answer = queries.costs(self._scope(options))
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        rows = [row.as_json() for row in answer.rows]
        getattr(self, "_" + options["format"])(answer, rows)

    def _scope(self, options) -> Scope:
        filters: dict[str, tuple[str, ...]] = {"cluster": tuple(options["cluster"])} if options["cluster"] else {}
        for item in options["filter"]:
            key, equals, value = item.partition("=")
            if not equals:
                raise Refused(f"--filter {item}: write it as key=value")
            filters[key] = (*filters.get(key, ()), value)
        keys = tuple(key for key in options["group_by"].split(",") if key)
        return Scope(window(options["start"], options["end"], zone=queries.zone()), keys, options["step"], filters)

    def _json(self, answer, rows) -> None:
        self.stdout.write(
            json.dumps(
                {
                    "rows": rows,
                    "total": answer.total.as_json(),
                    "next": None,
                    "as_of": answer.as_of and answer.as_of.isoformat(),
                    "balanced": answer.balanced,
                    "incomplete": answer.incomplete,
                    "currency": answer.currency,
                },
                indent=1,
            )
        )

    def _csv(self, answer, rows) -> None:
        names = list((rows or [answer.total.as_json()])[0])
        writer = csv.DictWriter(self.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

    def _table(self, answer, rows) -> None:
        shown = ("allocated_gpu_hours", "used_gpu_hours", "cost", "efficiency", "cost_per_used_gpu_hour")
        for row in [*rows, answer.total.as_json()]:
            keys = [str(v) for k, v in row.items() if k in queries.EXPANDED["job"] or k in self_keys(answer)]
            figures = ["–" if row[name] is None else f"{float(row[name]):,.2f}" for name in shown]
            self.stdout.write("  ".join([" / ".join(keys).ljust(40) or "total".ljust(40), *(f.rjust(14) for f in figures)]))


def self_keys(answer) -> set[str]:
    """The group keys of an answer."""
    return set(answer.rows[0].keys) if answer.rows else set()
