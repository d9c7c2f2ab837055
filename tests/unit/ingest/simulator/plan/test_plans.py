"""What holds of every week, whatever the dice say."""

from collections import defaultdict

import pytest

from ingest.simulator import exporter
from ingest.simulator.company import TEAMS, people
from ingest.simulator.pods import Pod
from ingest.simulator.schedule import Schedule
from ingest.simulator.weeks import Week, week_of

START, END = 1788300000.0, 1788300000.0 + 10 * 7 * 86400


@pytest.fixture(scope="module", params=[0, 3, 9])
def company(request) -> Schedule:
    return Schedule(request.param)


@pytest.fixture(scope="module")
def pods(company) -> list[Pod]:
    return company.pods(START, END)


def test_times_of_a_pod_are_in_order(pods) -> None:
    for pod in pods:
        assert pod.created < pod.started <= pod.ended <= pod.gone
        assert pod.bound is None or pod.created <= pod.bound < pod.started


def test_no_card_is_held_twice(pods) -> None:
    held = defaultdict(list)
    for pod in pods:
        for card in pod.cards:
            held[pod.node, card].append((pod.bound, pod.ended))
    assert len(held) > 60
    for spans in held.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:], strict=False))


def test_every_card_is_one_of_its_node_while_that_is_there(company, pods) -> None:
    nodes = company.nodes(START - 40 * 86400, END + 10 * 86400)
    for pod in pods:
        if pod.bound is None:
            continue
        (node,) = (node for node in nodes if node.name == pod.node and node.joined < pod.bound < node.left)
        cards = {exporter.card(device, node, replica) for device in node.devices() for replica in range(node.replicas)}
        assert set(pod.cards) <= cards and len(set(pod.cards)) == len(pod.cards)
        assert pod.ended <= node.left
        assert node.capacity()[pod.job.resource] >= len(pod.cards)


def test_no_two_objects_of_one_name_at_once(pods) -> None:
    named = defaultdict(list)
    for pod in pods:
        named[pod.job.namespace, pod.name].append((pod.created, pod.gone))
    for spans in named.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:], strict=False))
    assert len({pod.uid for pod in pods}) == len(pods)


def test_no_queue_holds_more_than_its_quota(pods) -> None:
    for team in TEAMS:
        if not team.quota:
            continue
        moves = defaultdict(int)
        for pod in pods:
            if pod.job.queue == team.name and pod.node.startswith("gpu-v100"):
                moves[pod.bound] += len(pod.cards)
                moves[pod.ended] -= len(pod.cards)
        held = most = 0
        for at in sorted(moves):
            held += moves[at]
            most = max(most, held)
        assert 0 < most <= team.quota, team.name


def test_scoring_waits_for_its_quota(pods) -> None:
    waited = sum((pod.bound - pod.created) / 3600 * len(pod.cards) for pod in pods if pod.job.queue == "scoring")
    assert 350 < waited / 10 < 550  # GPU-hours a week


def test_everybody_works_somewhere(pods) -> None:
    assert len(people()) == 40
    assert {pod.job.user for pod in pods} <= set(people())


def test_the_story_week(company) -> None:
    week = week_of(END, seed=company.seed)
    week = Week(week.index - week.position, company.seed)
    gang = [pod for pod in company.pods(week.at(1, "08:12"), week.at(1, "08:13")) if pod.job.name == "txn-graph-embed"]
    assert (len(gang), sum(pod.node == "gpu-v100-07" for pod in gang)) == (16, 4)
    assert sorted({pod.bound for pod in gang}) == [week.at(1, "08:12"), week.at(1, "14:06")]
    assert {pod.started - week.at(1, "08:12") for pod in gang if pod.node == "gpu-v100-03"} == {480, 485, 490, 495}
    assert company.silences(week.at(0, "00:00"), week.at(7, "00:00")) == [("gpu-v100-06", week.at(2, "02:00"), week.at(2, "04:00"))]
    noon = company.nodes(week.at(3, "12:00"), week.at(3, "12:01"))
    assert sum(node.pool == "v100-od" for node in noon) == 16
    before, after = (company.nodes(week.at(2, clock), week.at(2, clock) + 1) for clock in ("19:19", "19:21"))
    assert sum(node.pool == "v100-spot" for node in before) - sum(node.pool == "v100-spot" for node in after) == 1
    lost = [pod for pod in company.pods(week.at(2, "19:00"), week.at(2, "19:20")) if pod.ended == week.at(2, "19:20")]
    assert {pod.outcome for pod in lost} == {""} and len(lost) >= 2
