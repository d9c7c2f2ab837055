"""manage.py export --start T --end T --format F --output FILE: the API's export, to a file."""

import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from finops import queries
from finops.scope import Refused
from finops.times import now
from reports.exports import files
from reports.exports.question import FORMATS, Export, export_from

WORDS = ("start", "end", "format", "focus_version", "grain", "basis", "group_by")


class Command(BaseCommand):
    help = "Writes what GPUs cost as rows of price × quantity: csv, xlsx, parquet, focus-csv or focus-parquet."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--start", help="an hour, ISO 8601")
        parser.add_argument("--end", help="an hour, exclusive")
        parser.add_argument("--format", help=", ".join(FORMATS))
        parser.add_argument("--focus-version", help="1.2 (default) or 1.4")
        parser.add_argument("--grain", help="hour, day (default) or month")
        parser.add_argument("--basis", help="allocated (default), used or hybrid")
        parser.add_argument("--group-by", help="keys, by commas; without it every key is a column")
        parser.add_argument("--output", help="the file")
        parser.add_argument("--metadata", help="where FOCUS's metadata object goes; by default beside the file, as .json")

    def handle(self, *args, output, metadata, **options) -> None:
        params = {name: [options[name]] for name in WORDS if options[name] is not None}
        try:
            export = export_from(params, zone=queries.zone(), now=now(), currency=queries.currency(), week_starts=queries.setting().week_starts)
            if not output:
                raise Refused("output is missing: name the file with --output")
            if metadata and not export.version:
                raise Refused("metadata goes with the formats focus-csv and focus-parquet")
            written = files.write(export, Path(output))
            self._beside(export, Path(metadata or f"{output}.json"))
        except Refused as error:
            raise CommandError(str(error), returncode=2) from None
        except OSError as error:
            raise CommandError(f"output {output}: {error.strerror}", returncode=2) from None
        self.stdout.write(f"{output}: {written.rows} rows, {written.size} bytes")

    def _beside(self, export: Export, place: Path) -> None:
        if not export.version:
            return
        told = files.metadata(export)
        files.write_text(json.dumps(told, indent=1) + "\n", place)
        if told["x_UnpricedGpuHours"] != "0":
            self.stderr.write(f"left out: {told['x_UnpricedGpuHours']} GPU-hours that have no price; FOCUS has no row without a cost")
