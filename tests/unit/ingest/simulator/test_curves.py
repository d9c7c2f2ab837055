"""Busy curves."""

import numpy as np
import pytest

from ingest.simulator.curves import DAY, HOUR, Curve, Notebook, Serving, Training, noise

MONDAY = 1794783600.0  # 16 November 2026, 00:00 in Zurich
WEEK = MONDAY + np.arange(0, 7 * DAY, 60.0)


def test_noise_is_even_and_every_slot_stands_alone() -> None:
    whole = noise(7, np.arange(10_000))
    assert np.histogram(whole, bins=10, range=(0, 1))[0].min() > 900
    assert noise(7, np.array([4711]))[0] == whole[4711]
    assert noise(8, np.array([4711]))[0] != whole[4711]


@pytest.mark.parametrize("curve", [Curve(0.4), Training(0.8), Notebook(share=0.1), Serving(0.3)])
def test_any_minute_can_be_asked_for_alone(curve: Curve) -> None:
    whole = curve.busy(5, WEEK, started=MONDAY, ended=MONDAY + 7 * DAY)
    for at in (0, 601, 5000, 10_079):
        assert curve.busy(5, WEEK[at : at + 1], started=MONDAY, ended=MONDAY + 7 * DAY)[0] == whole[at]
    assert whole.min() >= 0 and whole.max() <= 1


@pytest.mark.parametrize(
    ("curve", "mean", "slack"),
    [
        (Curve(0.4), 0.4, 0.01),
        (Training(0.8), 0.8 * (11 / 12 + 0.12 / 12), 0.01),  # a quarter of an hour in three at 12 %
        (Serving(0.3), 0.3, 0.02),
        (Notebook(share=0.04), 0.04, 0.02),
        (Notebook(level=0.95, share=0.029, tuesdays=True), 0.029, 0.015),
    ],
)
def test_means_of_a_week(curve: Curve, mean: float, slack: float) -> None:
    means = [curve.busy(key, WEEK, started=MONDAY, ended=MONDAY + 7 * DAY).mean() for key in range(8)]
    assert np.mean(means) == pytest.approx(mean, abs=slack)


def test_a_gang_waits_then_trains_then_evaluates() -> None:
    curve = Training(0.8, waits=6 * HOUR, evaluates=HOUR)
    time = np.array([MONDAY + 5.9 * HOUR, MONDAY + 6.5 * HOUR, MONDAY + 23.5 * HOUR])
    waiting, training, evaluating = curve.busy(1, time, started=MONDAY, ended=MONDAY + 24 * HOUR)
    assert waiting == 0.007 and training > 0.7 and evaluating == pytest.approx(0.096)


def test_a_notebook_is_exactly_idle_at_night_at_weekends_and_once_forgotten() -> None:
    busy = Notebook(share=0.2, until=2 * DAY).busy(3, WEEK, started=MONDAY, ended=MONDAY + 7 * DAY)
    assert busy[: 8 * 60].max() == 0 and busy[2 * 1440 :].max() == 0 and busy[8 * 60 : 18 * 60].max() > 0.3
