"""The company's configuration file."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from finops.configuration.schema import parse
from ingest.simulator.configuration import configuration


def read(now: datetime, seed: int = 1):
    return parse(configuration(8123, seed=seed, now=now.timestamp()))


@pytest.mark.parametrize("day", range(0, 35, 3))
def test_the_spot_price_changed_within_four_weeks_and_never_overlaps(day: int) -> None:
    now = datetime(2026, 12, 1, 10, tzinfo=UTC) + timedelta(days=day)
    spot = [rate for rate in read(now).rates if rate.capacity_type == "spot"]
    assert [rate.price for rate in spot] == [Decimal("0.46"), Decimal("0.50")]
    assert spot[0].end == spot[1].start and now - timedelta(days=28) < spot[1].start <= now


def test_every_exporter_once_with_its_seed() -> None:
    (cluster,) = read(datetime(2026, 12, 1, tzinfo=UTC)).clusters
    assert cluster.name == "demo" and len(cluster.source.dcgm) == 13
    assert cluster.source.dcgm[0].url == "http://127.0.0.1:8123/nodes/gpu-v100-01/metrics?seed=1"
    assert cluster.source.dcgm[0].node == "gpu-v100-01" and cluster.source.dcgm[-1].node is None


def test_budgets_are_thirty_five_thousand_a_month() -> None:
    assert sum(budget.amount for budget in read(datetime(2026, 12, 1, tzinfo=UTC)).budgets) == 35_000
