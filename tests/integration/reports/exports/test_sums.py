"""Every format, grain and basis adds up to the query layer, and every row is price × quantity. The ledger by hand: conftest.py."""

import csv
import io
import zipfile
from decimal import Decimal as D
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from finops import queries
from reports.exports import files
from tests.integration.reports.exports.conftest import csv_rows

GRAINS, BASES = ("hour", "day", "month"), ("allocated", "used", "hybrid")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def rows_of(export, folder: Path) -> list[dict]:
    """The file's rows; numbers as text or Decimal, nulls as None."""
    place = folder / files.name_of(export)
    files.write(export, place)
    if files.ending(export) == "parquet":
        return pq.read_table(place).to_pylist()
    if files.ending(export) == "xlsx":
        return sheet(place)
    return [{name: text or None for name, text in row.items()} for row in csv.DictReader(io.StringIO(place.read_text(), newline=""))]


def sheet(place: Path) -> list[dict]:
    """A sheet's rows as its XML has them: inline texts and numbers."""
    with zipfile.ZipFile(place) as book:
        root = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert root.findall(f".//{SHEET}f") == []  # no formula anywhere
    lines = [{cell.get("r").rstrip("0123456789"): "".join(cell.itertext()) for cell in row} for row in root.iter(f"{SHEET}row")]
    names = lines[0]
    return [{names[place]: line.get(place) for place in names} for line in lines[1:]]


def total(rows: list[dict], name: str) -> D:
    return sum((D(row[name]) for row in rows if row[name] is not None), D(0))


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet", "focus-csv", "focus-parquet"])
def test_it_adds_up_to_the_page(asked, tmp_path: Path, format: str, grain: str, basis: str) -> None:
    export = asked(format=format, grain=grain, basis=basis)
    answer, rows = queries.costs(export.scope).total, rows_of(export, tmp_path)
    assert answer.cost == D("11.75")
    money, quantity, price = ("BilledCost", "PricingQuantity", "ContractedUnitPrice") if export.version else ("cost", "gpu_hours", "price")
    assert total(rows, money) == D("11.75")
    assert total(rows, quantity) == (D(5) if export.version else D(6))
    assert total(rows, "x_UsedGpuHours" if export.version else "used_gpu_hours") == answer.hours("used") - (D("0.5") if export.version else 0)
    priced = [row for row in rows if row[price] is not None]
    # A spreadsheet has 15 to 16 digits, all others every one.
    assert [row for row in priced if abs(D(row[price]) * D(row[quantity]) - D(row[money])) > (D("1e-15") if format == "xlsx" else 0)] == []
    assert len(priced) >= 6


@pytest.mark.parametrize("team", ["fraud", "vision", "unallocated"])
@pytest.mark.parametrize("basis", BASES)
def test_each_team_adds_up_with_what_was_moved_to_it(asked, basis: str, team: str) -> None:
    export = asked(basis=basis, team=team)
    answer, rows = queries.costs(export.scope).total, csv_rows(export)
    assert total([{k: v or None for k, v in row.items()} for row in rows], "cost") == answer.cost
    assert sum(D(row["distributed_cost"] or 0) for row in rows) == answer.distributed_cost


def billed(rows: list[dict]) -> dict[str, D]:
    found: dict[str, D] = {}
    for row in rows:
        found[row["billed_to"]] = found.get(row["billed_to"], D(0)) + D(row["cost"] or 0)
    return found


def test_the_used_basis_by_hand(asked) -> None:
    """fraud 0.8333333333 + 2.50 × 0.25 + 3.00 = 4.4583333333; its other 0.75 hours are 1.875 for not-used."""
    assert billed(csv_rows(asked(basis="used"))) == {
        "fraud": D("4.4583333333"), "vision": D("1.6666666667"), "unallocated": D("2.75"), "'-risk": D(1), "not-used": D("1.875"),
    }  # fmt: skip


def test_the_hybrid_basis_by_hand(asked) -> None:
    """Half of the idle quarter is not-used: 0.125 × 2.50 = 0.3125; fraud 0.8333333333 + 0.875 × 2.50 + 3.00 = 6.0208333333."""
    found = billed(csv_rows(asked(basis="hybrid")))
    assert (found["fraud"], found["not-used"]) == (D("6.0208333333"), D("0.3125"))


def test_rounding_is_a_row_of_its_own_for_each_account(asked) -> None:
    rows = [row for row in csv_rows(asked()) if row["charge"] == "rounding"]
    assert {(row["team"], row["cost_center"], row["cost"], row["price"], row["gpu_hours"]) for row in rows} == {
        ("fraud", "4711", "0.00000000005", "", ""), ("vision", "", "-0.00000000005", "", ""),
    }  # fmt: skip


def test_by_keys_each_value_adds_up_to_the_last_digit(asked) -> None:
    export = asked(group_by="job")
    rows = csv_rows(export)
    for row in queries.costs(export.scope).rows:
        found = [each for each in rows if each["job"].lstrip("'") == row.keys["job"]]
        assert sum(D(each["cost"] or 0) for each in found) == (row.cost or 0)
    assert list(rows[0])[4:8] == ["cluster", "namespace", "job_kind", "job"]


def test_a_change_of_price_makes_two_rows_of_a_day(asked) -> None:
    rows = [row for row in csv_rows(asked(team="fraud")) if row["period_start"] == "2026-10-24T22:00:00Z"]
    assert sorted((row["price"], row["gpu_hours"], row["cost"]) for row in rows) == [("2.5", "1", "2.5"), ("3", "1", "3")]


@pytest.mark.parametrize(
    ("grain", "bounds"),
    [
        ("day", {("2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z"), ("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")}),
        ("month", {("2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z")}),
        ("hour", {(f"2026-10-{day}T{hour:02}:00:00Z", f"2026-10-{day}T{hour + 1:02}:00:00Z") for day, hour in ((24, 10), (25, 0), (25, 1), (25, 12))}),
    ],
)
def test_periods_are_the_zones_own_in_utc(asked, grain: str, bounds: set) -> None:
    assert {(row["period_start"], row["period_end"]) for row in csv_rows(asked(grain=grain))} == bounds


def test_hours_without_a_price_cost_nothing_known(asked) -> None:
    row = next(row for row in csv_rows(asked(team="-risk", grain="hour")) if not row["price"])
    assert (row["gpu_hours"], row["cost"], row["used_gpu_hours"], row["charge"]) == ("1", "", "0.5", "allocated")


def test_nobodys_capacity_and_what_was_moved(asked) -> None:
    rows = csv_rows(asked(grain="month"))
    free = sorted((row["price"], row["cost"]) for row in rows if row["charge"] == "unallocated")
    moved = sorted((row["billed_to"], row["distributed_cost"]) for row in rows if row["charge"] == "distributed")
    assert free == [("2.5", "1.25"), ("3", "1.5")]
    assert moved == [("unallocated", "-1.25"), ("unallocated", "-1.5"), ("vision", "2.75")]


def test_an_empty_window_has_its_line_of_names(asked) -> None:
    assert csv_rows(asked(start="2026-01-01", end="2026-01-02")) == []


def test_it_is_read_with_debug_on_as_well(asked, settings) -> None:
    settings.DEBUG = True
    assert len(csv_rows(asked())) == 13
