"""One scope, four ways out: page, API, command and CSV give the same figures."""

import csv
import io
import json
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP
from decimal import Decimal as D

import pytest
from django.core.management import call_command

from tests.integration.reports.company import ZONE, open_company
from tests.integration.reports.tables import Tables, number

NOW = datetime(2026, 11, 23, 9, tzinfo=ZONE)
WEEK = ("2026-11-16", "2026-11-23")
RAGGED = ("2026-11-14T05:00", "2026-11-22T17:00")
DAY = ("2026-11-21", "2026-11-22")
COLUMNS = ("cost", "share", "change", "relative", "allocated", "used", "split", "efficiency", "idle", "per_used", "per_allocated")
NAMES = {
    "cost": "cost", "allocated": "allocated_gpu_hours", "used": "used_gpu_hours", "efficiency": "efficiency", "idle": "idle_cost",
    "per_used": "cost_per_used_gpu_hour", "per_allocated": "cost_per_allocated_gpu_hour",
}  # fmt: skip
ADDITIVE = {"cost": D("0.01"), "allocated": D("0.1"), "used": D("0.1"), "idle": D("0.01")}
RATIOS = {"efficiency": D("0.001"), "per_used": D("0.01"), "per_allocated": D("0.01")}

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("by", "bounds", "filters"),
    [("team", WEEK, {}), ("team", RAGGED, {}), ("job", WEEK, {"team": "fraud"}), ("node_pool", DAY, {}), ("gpu_model", RAGGED, {})],
)
def test_four_ways(client, bearer, all_seeing, by, bounds, filters):
    open_company(NOW, days=21)
    client.force_login(all_seeing)
    query = {"start": bounds[0], "end": bounds[1], **filters}
    api = client.get("/api/v1/costs", {**query, "group_by": by}, headers=bearer(all_seeing, "read")).json()
    assert api["balanced"] and len(api["rows"]) > 2

    assert command(bounds, by, filters) == {**api, "next": None}
    assert table_file(client.get("/download/rows.csv", {**query, "by": by})) == [text_of(row) for row in api["rows"]]
    page = client.get("/", {**query, "by": by, "rows": "all", "columns": "all"})
    assert_page_prints(page.content.decode(), api, by)


def command(bounds, by, filters) -> dict:
    out = io.StringIO()
    chosen = [part for key, value in filters.items() for part in ("--filter", f"{key}={value}")]
    call_command("costs", "--start", bounds[0], "--end", bounds[1], "--group-by", by, "--format", "json", *chosen, stdout=out)
    return json.loads(out.getvalue())


def table_file(answer) -> list[dict[str, str]]:
    assert answer.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def text_of(row: dict) -> dict[str, str]:
    """A row of the API as a CSV cell by cell: none is empty, a name that a spreadsheet would compute gets an apostrophe."""
    cells = {name: "" if value is None else str(value) for name, value in row.items()}
    return {name: f"'{value}" if name in ("job", "team", "namespace") and value[:1] in "=+-@" and value else value for name, value in cells.items()}


def assert_page_prints(text: str, api: dict, by: str) -> None:
    """Ratios are the API's, rounded; what adds up is within one unit of it; sums are its total, rounded."""
    rows = next(table for table in Tables(text).tables if table[0][-1] == "per allocated GPU-h")
    compared = "Against" in " ".join(rows[0])
    columns = [name for name in COLUMNS if compared or name not in ("change", "relative")]
    lines = {cells[0]: dict(zip(columns, cells[1:], strict=True)) for cells in rows[1:]}
    items = {name: line for name, line in lines.items() if name not in ("Allocated", "Unallocated", "Capacity", "Total")}
    held = {name: line for name, line in items.items() if number(line["allocated"])}  # the others held only the period before
    assert len(held) == len([row for row in api["rows"] if D(row["allocated_gpu_hours"])])

    total = lines.get("Capacity") or lines["Total"]
    for name, unit in {**ADDITIVE, **RATIOS}.items():
        assert number(total[name]) == printed(api["total"][NAMES[name]], unit), name
    for name in ADDITIVE:
        parts = [number(line[name]) or 0 for label, line in lines.items() if label in items or (label == "Unallocated" and name == "cost")]
        assert sum(parts) == number(total[name]), name
    by_cost = sorted(items.values(), key=lambda line: -number(line["cost"]))
    for line, row in zip(by_cost, [row for row in api["rows"] if row.get("team") != "unallocated"], strict=False):
        for name, unit in ADDITIVE.items():
            assert abs(number(line[name]) - D(row[NAMES[name]])) <= unit, (name, row)
        for name, unit in RATIOS.items():
            assert number(line[name]) == printed(row[NAMES[name]], unit), (name, row)


def printed(value, unit: D) -> D | None:
    """As the page prints it, a ratio as per cent."""
    if value is None:
        return None
    number_ = D(str(value)).quantize(unit, ROUND_HALF_UP)
    return number_ * 100 if unit == D("0.001") else number_


def test_the_ends_of_a_window_are_its_hours(all_seeing):
    """Whole days are read from roll-ups, the ends from hours: the same to the last digit as hour by hour."""
    from finops import queries
    from finops.scope import Scope, Window

    open_company(NOW, days=21)
    start = datetime(2026, 11, 14, 5, tzinfo=ZONE)
    for end in (NOW, start + timedelta(hours=3), start + timedelta(hours=30), start + timedelta(days=3)):
        scope = Scope(Window(start, end), ("team",))
        whole = {row.keys["team"]: row.sums for row in queries.costs(scope).rows}
        hourly: dict[str, list] = {}
        for row in queries.rows_of(Scope(scope.window, ("team",), "hour")):
            hourly.setdefault(row.keys["team"], []).append(row)
        assert {team: queries.together(rows).sums for team, rows in hourly.items()} == whole


def test_a_table_for_people_has_a_head_and_names_its_total():
    """Three models on seven days; the columns stand one beneath the other."""
    open_company(NOW, days=21)
    out = io.StringIO()
    call_command("costs", "--start", WEEK[0], "--end", WEEK[1], "--group-by", "gpu_model", "--step", "day", stdout=out, stderr=io.StringIO())
    head, *lines, total = out.getvalue().splitlines()
    assert head.split("  ")[0].strip() == "gpu_model / period_start" and "cost CHF" in head and "efficiency" in head
    assert len(lines) == 3 * 7 and "2026-11-16T00:00:00+01:00" in lines[0]
    assert total.startswith("total ") and total.count("%") == 1 and len({len(line) for line in (head, *lines, total)}) == 1
