"""Two hours without a single sample: what was there before and after stays, unmeasured."""

from itertools import chain

import pytest

from finops.models import Rate
from tests.fleet import Fleet, bill, minutes


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_prometheus_down_for_two_hours(order: tuple[int, ...], db, tmp_path) -> None:
    Rate.objects.create(price="3", currency="CHF")
    seen = list(chain(minutes(-20, 60), minutes(180, 260)))
    Fleet().node(times=seen).pod("a", times=seen).card("GPU-1", "a", times=seen, busy=1.0).collected(tmp_path, hours=order)
    total = bill(hours=4).total
    assert (total.capacity_gpu_hours, total.allocated_gpu_hours, total.cost) == (4, 4, 12)
    # The last sample, at 10:59, and the first one after, at 13:00, speak for a minute and a half each, whatever each hour knows of the end.
    assert float(total.unmeasured_gpu_hours) == pytest.approx((7200 - 30 - 90) / 3600, abs=1e-6)
    assert total.coverage == pytest.approx((14400 - 7080) / 14400, abs=1e-6)
