"""The company's own account, and the story it must tell. Efficiency is used ÷ (used + idle), shares are of the whole bill."""

from collections import defaultdict
from dataclasses import asdict

import pytest

from ingest.simulator.schedule import Schedule
from ingest.simulator.truth import truth
from ingest.simulator.weeks import Week, week_of

PRICES = {"v100-od": 1.40, "v100-spot": 0.50, "a100-mig": 2.40, "t4-inf": 0.60}
BUCKETS = ("starting", "used", "idle", "unmeasured")
WEEKS = 4


@pytest.fixture(scope="module", params=[1, 6])
def month(request):
    """Four whole weeks: capacity cost, hours by team, and team costs at the nodes' prices."""
    schedule = Schedule(request.param)
    last = week_of(1795600000.0, seed=request.param)
    teams, days, cost = defaultdict(lambda: defaultdict(float)), [], defaultdict(float)
    for index in range(last.index - WEEKS, last.index):
        for day in range(7):
            start, end = Week(index, request.param).at(day, "00:00"), Week(index, request.param).at(day + 1, "00:00")
            found = truth(schedule, start, end)
            for (_, team, _, _), account in found.jobs.items():
                for name, hours in asdict(account).items():
                    teams[team][name] += hours
            days.append(sum(hours * PRICES[pool] for (_, pool), hours in found.capacity.items()))
    begin, end = Week(last.index - WEEKS, request.param).at(0, "00:00"), last.at(0, "00:00")
    pools = {node.name: (node.pool, node.replicas) for node in schedule.nodes(begin, end)}
    for pod in schedule.pods(begin, end):
        if pod.bound is not None and pod.ended > begin and pod.bound < end:
            pool, replicas = pools[pod.node]
            share = int(pod.job.resource[15]) / 7 if "_mig_" in pod.job.resource else 1 / replicas
            held = min(pod.ended, end) - max(pod.bound, begin)
            cost[pod.job.team] += held / 3600 * share * len(pod.cards) * PRICES[pool]
    return teams, days, cost


def test_parts_add_up(month) -> None:
    for hours in month[0].values():
        assert hours["allocated"] == pytest.approx(sum(hours[bucket] for bucket in BUCKETS))
        assert min(hours.values()) > -1e-6


def test_a_month_costs_what_it_should(month) -> None:
    assert 44_000 < sum(month[1]) / 28 * 30 < 50_000


def test_one_thursday_costs_sixty_per_cent_more(month) -> None:
    days = sorted(month[1])
    assert 1.55 < days[-1] / days[len(days) // 2] < 1.75 and days[-2] / days[len(days) // 2] < 1.10


def test_fraud_takes_most_and_uses_little(month) -> None:
    teams, days, cost = month
    assert 0.43 < cost["fraud"] / sum(days) < 0.47
    assert 0.26 < efficiency(teams["fraud"]) < 0.30
    assert teams["fraud"]["unmeasured"] == pytest.approx(8.0)  # four cards for two hours


def test_scoring_is_busy_and_the_fleet_is_not(month) -> None:
    teams = month[0]
    assert 0.80 < efficiency(teams["scoring"]) < 0.84
    whole = {bucket: sum(hours[bucket] for hours in teams.values()) for bucket in ("used", "idle")}
    assert 0.40 < efficiency(whole) < 0.44


def test_images_of_twelve_gigabytes_take_their_time(month) -> None:
    assert 10 < month[0]["fraud"]["starting"] < 40


def efficiency(hours) -> float:
    return hours["used"] / (hours["used"] + hours["idle"])
