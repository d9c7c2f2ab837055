"""An export as XLSX: rows leave memory as they come; text stays text, numbers are the spreadsheet's, of 15 to 16 digits."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

import xlsxwriter

from finops.scope import Refused
from reports.exports.columns import Column

MOST_ROWS = 1_048_575  # of a sheet, below its line of names
PLAIN = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}


def write(path: Path, *, columns: Sequence[Column], batches: Iterable[Sequence[tuple]]) -> int:
    """The number of rows. Raises Refused where they are more than a sheet holds."""
    with xlsxwriter.Workbook(str(path), PLAIN) as book:
        sheet = book.add_worksheet("charges")
        bold = book.add_format({"bold": True})
        for place, column in enumerate(columns):
            sheet.write_string(0, place, column.name, bold)
        sheet.freeze_panes(1, 0)
        return _rows(sheet, batches)


def _rows(sheet, batches: Iterable[Sequence[tuple]]) -> int:
    line = 0
    for batch in batches:
        for record in batch:
            line += 1
            if line > MOST_ROWS:
                raise Refused(f"a sheet of XLSX holds {MOST_ROWS} rows and this export has more; ask for csv or parquet, or for a shorter window")
            for place, value in enumerate(record):
                if isinstance(value, Decimal):
                    sheet.write_number(line, place, value)
                elif value is not None:
                    sheet.write_string(line, place, value)
    return line
