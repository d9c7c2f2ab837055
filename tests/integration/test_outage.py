"""Hours without samples: what was there before and after stays; it is unmeasured where the exporter is silent too."""

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


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 0)])
@pytest.mark.parametrize("whose", ["a", ""])
def test_kube_state_metrics_away_over_the_end_of_an_hour(whose: str, order: tuple[int, ...], db, tmp_path) -> None:
    """From 10:50 to 11:15, the exporter goes on: what it tells of the pod that is there again afterwards was measured."""
    seen = list(chain(minutes(-20, 50), minutes(75, 140)))
    Fleet().node(times=seen).pod("a", times=seen).card("GPU-1", whose, busy=0.25).collected(tmp_path, hours=order)
    total = bill(hours=2).total
    # A card that no series names is the pod's while its hold is known: its last sample before that, at 10:49, reaches 10:50:30.
    unmeasured = 0 if whose else 570
    assert float(total.unmeasured_gpu_hours) == pytest.approx(unmeasured / 3600, abs=1e-9)
    assert float(total.used_gpu_hours) == pytest.approx((7200 - unmeasured) / 3600 / 4, abs=1e-9)
    assert total.allocated_gpu_hours == 2


def test_a_pod_that_is_gone_when_kube_state_metrics_is_back(db, tmp_path) -> None:
    """The exporter goes on naming it: a label counts only while its pod is known to hold the GPU, half a minute after 10:49."""
    seen = list(chain(minutes(-20, 50), minutes(75, 140)))
    Fleet().node(times=seen).pod("a", times=minutes(-20, 50)).card("GPU-1", "a", busy=0.25).collected(tmp_path, hours=(0, 1))
    total = bill(hours=2).total
    assert (float(total.allocated_gpu_hours), float(total.used_gpu_hours)) == pytest.approx((2970 / 3600, 2970 / 14400), abs=1e-9)
    assert (total.unmeasured_gpu_hours, float(total.unallocated_gpu_hours)) == (0, pytest.approx(4230 / 3600, abs=1e-9))
