"""Other people's names in files: harmless in what people open in a spreadsheet, raw where programs read."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from reports.exports import files
from tests.integration.reports.exports.conftest import FORMULA, HOSTILE, QUOTED, csv_rows
from tests.integration.reports.exports.test_sums import rows_of

RAW = {"team": HOSTILE, "namespace": "\tns", "job_kind": "@Job", "job": FORMULA, "pod": QUOTED, "user": "+1"}


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_a_spreadsheet_computes_no_name(asked, tmp_path: Path, format: str) -> None:
    row = next(row for row in rows_of(asked(format=format, team=HOSTILE), tmp_path) if row["price"])
    assert {name: row[name] for name in RAW} == {name: text if text == QUOTED else f"'{text}" for name, text in RAW.items()}
    assert row["billed_to"] == f"'{HOSTILE}"


def test_negative_amounts_stay_numbers(asked) -> None:
    amounts = {row["distributed_cost"] for row in csv_rows(asked())} | {row["cost"] for row in csv_rows(asked())}
    assert {"-1.25", "-0.00000000005"} < amounts


def test_a_label_is_defused_as_well(asked) -> None:
    assert {row["label:app"] for row in csv_rows(asked(group_by="label:app", team=HOSTILE))} == {f"'{FORMULA}"}


def test_parquet_is_raw_with_real_nulls(asked, tmp_path: Path) -> None:
    files.write(asked(format="parquet", team=HOSTILE), tmp_path / "f")
    table = pq.read_table(tmp_path / "f")
    priced, unpriced = sorted(table.to_pylist(), key=lambda row: row["price"] is None)
    assert {name: priced[name] for name in RAW} == RAW
    assert (unpriced["price"], unpriced["cost"], unpriced["department"]) == (None, None, "")
    assert {str(table.schema.field(name).type) for name in ("cost", "gpu_hours")} == {"decimal128(38, 21)"}


def test_focus_is_raw(asked) -> None:
    row = next(row for row in csv_rows(asked(format="focus-csv", team=HOSTILE)))
    assert (row["SubAccountId"], row["ResourceName"], row["x_Namespace"]) == (HOSTILE, FORMULA, "\tns")


@pytest.mark.parametrize("value", ["'; drop table holding; --", "a\nb", "%s %(start)s", "\\"])
def test_a_filter_of_any_text_is_a_filter(asked, value: str) -> None:
    assert csv_rows(asked(team=value)) == []
    assert csv_rows(asked(**{"label:app": value})) == []
