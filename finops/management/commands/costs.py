"""manage.py costs --start T --end T --group-by K[,K]"""

import csv
import json
from decimal import ROUND_HALF_UP, Decimal

from django.core.management.base import BaseCommand, CommandError

from finops import queries
from finops.scope import GROUP_KEYS, STEPS, Refused, Scope
from finops.times import window


class Command(BaseCommand):
    help = "What the API's /costs returns: same names, same figures, every row."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--start", required=True, help="an hour, ISO 8601, like 2026-11-01 or 2026-11-01T14:00; local time where no offset stands")
        parser.add_argument("--end", required=True, help="an hour, exclusive")
        parser.add_argument("--group-by", default="team", metavar="K[,K]", help=f"of {', '.join(GROUP_KEYS)}, label:<name>; default team")
        parser.add_argument("--cluster", action="append", default=[], help="default: all of them; may be repeated")
        parser.add_argument("--step", default="total", help=f"of {', '.join(STEPS)}; default total")
        parser.add_argument("--filter", action="append", default=[], metavar="K=V", help="only where key K is V; may be repeated")
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
        keys = [name for name in (rows or [{}])[0] if name in ("period_start", *(answer.rows[0].keys if answer.rows else ()))]
        lines = [[" / ".join(str(row[key]) or "(none)" for key in keys) or "total", *_figures(row)] for row in rows if keys]
        total = ["total", *_figures(answer.total.as_json())]
        heads = [" / ".join(keys), "allocated GPU-h", "used GPU-h", f"cost {answer.currency}", "efficiency", "per used GPU-h"]
        widths = [max(map(len, column)) for column in zip(heads, *lines, total, strict=True)]
        for name, *figures in [heads, *lines, total]:
            self.stdout.write("  ".join([name.ljust(widths[0]), *(f.rjust(width) for f, width in zip(figures, widths[1:], strict=True))]))
        for entry in answer.incomplete:
            why = entry.get("reason") or entry.get("state", "")
            self.stderr.write(f"incomplete: {entry['cluster']}, {entry['start']} – {entry['end']} ({why})")


def _figures(row: dict) -> list[str]:
    """Hours, money and ratios as people read them; json and csv have every digit."""
    amounts = [_printed(row[name]) for name in ("allocated_gpu_hours", "used_gpu_hours", "cost")]
    efficiency = "–" if row["efficiency"] is None else f"{row['efficiency']:.1%}"
    return [*amounts, efficiency, _printed(row["cost_per_used_gpu_hour"])]


def _printed(amount: str | None) -> str:
    return "–" if amount is None else f"{Decimal(amount).quantize(Decimal('0.01'), ROUND_HALF_UP):,}"
