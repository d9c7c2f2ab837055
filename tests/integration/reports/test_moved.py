"""What moved: a price that changed, hours that changed, both; and the page's table of it adds up both ways."""

from datetime import datetime
from decimal import Decimal as D

import pytest

from finops.queries import SUMS, Row
from reports.pages.entries import Entry
from reports.pages.items import Label
from reports.pages.moved import movement
from tests.integration.reports.company import ZONE, open_company
from tests.integration.reports.tables import Tables, number


def row(team: str, hours: str, cost: str) -> Row:
    sums = dict.fromkeys(SUMS, D(0)) | {"capacity": D(hours), "allocated": D(hours), "cost": D(cost)}
    keys = {"team": team, "cluster": "lab", "node_pool": "a", "gpu_model": "T4", "capacity_type": "spot"}
    return Row(keys, None, None, sums, "CHF")


def entry(team: str, now: Row, then: Row) -> Entry:
    return Entry(Label(team, link="?"), now, then, round(now.cost, 2), round(then.cost, 2))


def test_hours_and_price_are_told_apart():
    """fraud: 10 h at 2 become 12 h at 3, so 4 by hours and 12 by price; vision: 10 h at 1 become 5 h at 1."""
    fraud, vision = (row("fraud", "12", "36"), row("fraud", "10", "20")), (row("vision", "5", "5"), row("vision", "10", "10"))
    now, then = ({("fraud",): [fraud[i]], ("vision",): [vision[i]]} for i in (0, 1))
    moved = movement([entry("fraud", *fraud), entry("vision", *vision)], now, then, ("team",))
    assert [(m.label.name, m.change, m.by_hours, m.by_price) for m in moved.movers] == [
        ("fraud", D("16.00"), D("4.00"), D("12.00")),
        ("vision", D("-5.00"), D("-5.00"), D("0.00")),
    ]
    assert (moved.total.change, moved.total.by_hours, moved.total.by_price) == (D("11.00"), D("-1.00"), D("12.00"))
    assert moved.why("CHF") == "fraud alone rose by CHF\u00a016.00; in all, hours made 1.00 less, prices 12.00 more"


@pytest.mark.parametrize("by", ["team", "job"])
def test_the_table_adds_up_both_ways(client, all_seeing, by):
    open_company(datetime(2026, 11, 23, 9, tzinfo=ZONE), days=21)
    client.force_login(all_seeing)
    text = client.get(f"/?start=2026-11-16&end=2026-11-23&by={by}").content.decode()
    lines = [[number(cell) for cell in cells[1:]] for cells in next(t for t in Tables(text).tables if t[0][-1] == "GPU-h now")[1:]]
    assert all(then + change == now and hours + price == change for then, now, change, hours, price, *_ in lines)
    assert [sum(column) for column in zip(*lines[:-1], strict=True)] == lines[-1]
    assert len(lines) > 2
