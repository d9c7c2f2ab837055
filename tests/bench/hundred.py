"""Facts of a fleet of 100 GPUs for any number of hours, stored as a collection would have stored them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 9, 1, tzinfo=UTC)
MARGIN = 600
A100, T4 = "NVIDIA A100-SXM4-40GB", "Tesla T4"
NODES = [("node-00", 4, T4)] + [(f"node-{n:02}", 8, A100) for n in range(1, 13)]
GPUS = sum(boards for _, boards, _ in NODES)
RESOURCE = "nvidia_com_gpu"
EMPTY = "{" + ",".join("0" * 20) + "}"


@dataclass(frozen=True, slots=True)
class Pod:
    """Holds `cards` of a node over [start, end), unix seconds; its labels change at `turn`, where it has one."""

    uid: str
    node: str
    cards: range
    start: int
    end: int
    turn: int | None

    def reaches(self, begin: float, end: float) -> bool:
        return self.start < end and self.end > begin


def pods(hours: int, *, nodes: int, seed: int) -> list[Pod]:
    """What ran: on each node one pod after the other on the same cards, with pauses."""
    dice, first, found = random.Random(seed), round(START.timestamp()), []
    for node, boards, _ in NODES[:nodes]:
        card = 0
        while card < boards:
            cards = range(card, card := card + min(dice.choice((1, 2, 2, 4, 8)), boards - card))
            at = first - dice.randrange(86_400)
            while at < first + hours * 3600:
                end = at + dice.randrange(2_700, 57_600)
                turn = dice.randrange(at + 1, end) if dice.random() < 0.05 else None
                found.append(Pod(f"uid-{len(found):06}", node, cards, at, end, turn))
                at = end + dice.randrange(0, 10_800)
    return found


def facts(plan: list[Pod], hour: datetime, *, nodes: int):
    """The facts of one hour."""
    from ingest.tidy.facts import Facts

    begin = round(hour.timestamp())
    there = [pod for pod in plan if pod.reaches(begin - MARGIN, begin + 3600 + MARGIN)]
    machines = [
        [hour, name, f"machine-{name}", begin - 9e6, begin - MARGIN, begin + 3600 + MARGIN, 30.0, {RESOURCE: boards}, {RESOURCE: "1"},
         {model: boards}, boards, "gpu", "p4d.24xlarge", "on-demand", 96.0, 1.2e12, {}] for name, boards, model in NODES[:nodes]
    ]  # fmt: skip
    uses = [row for pod in there for quarter in range(begin, begin + 3600, 900) for row in _uses(pod, quarter)]
    return Facts(hour, hour + timedelta(hours=1), machines, [_pod(pod, hour) for pod in there], uses, 1.0, list(_boards(begin, nodes)))


def _pod(pod: Pod, hour: datetime) -> list[object]:
    begin, number = round(hour.timestamp()), int(pod.uid[4:])
    seen = max(pod.start, begin - MARGIN), min(pod.end - 30, begin + 3600 + MARGIN)
    said = [{"since": None, "labels": {"app": f"app-{number % 40}", "team": f"team-{number % 12}"}, "annotations": {}, "user": "", "queue": ""}]
    if pod.turn and begin - MARGIN <= pod.turn < begin + 3600 + MARGIN:
        said.append(said[0] | {"since": pod.turn, "labels": {"app": f"app-{number % 40}", "team": "team-late"}})
    space = [{"since": None, "labels": {}, "annotations": {}}]
    return [hour, pod.uid, RESOURCE, f"space-{number % 8}", f"job-{number}-x", pod.node, len(pod.cards), *map(float, seen), 30.0, float(pod.start), None,
            pod.start + 90.0, None, None, None, "Job", f"job-{number}", "", "", "", said, space,
            {_model(pod.node): float(len(pod.cards))}]  # fmt: skip


def _uses(pod: Pod, quarter: int) -> Iterator[list[object]]:
    held = min(pod.end, quarter + 900) - max(pod.start + 90, quarter)
    if held <= 0:
        return
    for card in pod.cards:
        busy = held * ((quarter // 900 + 7 * card + int(pod.uid[4:])) % 11) / 10
        yield [_instant(quarter), f"GPU-{pod.node}-{card}", "", pod.uid, RESOURCE, pod.node, _model(pod.node), 1.0, float(held), float(held), busy,
               held // 60, 0, EMPTY, 9000.0, None, 250.0 * held / 3, 60.0, 0, "gr_engine_active", False, None, None, None]  # fmt: skip


def _boards(begin: int, nodes: int) -> Iterator[list[object]]:
    for quarter in range(begin, begin + 3600, 900):
        for name, boards, model in NODES[:nodes]:
            for card in range(boards):
                yield [_instant(quarter), f"GPU-{name}-{card}", name, model, 90_000.1, 3_000.7]


def _model(node: str) -> str:
    return next(model for name, _, model in NODES if name == node)


def _instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def store(cluster: int, hours: int, *, nodes: int = len(NODES), seed: int = 1) -> None:
    """Stores that many hours from START for the cluster, of its first nodes."""
    from ingest import store as facts_store
    from ingest import windows
    from ingest.sources import Spent

    plan, end = pods(hours, nodes=nodes, seed=seed), START + timedelta(hours=hours)
    wanted = [(START + timedelta(hours=n), START + timedelta(hours=n + 1)) for n in range(hours)]
    for claim in windows.take(cluster, wanted, owner="bench", now=end):
        facts_store.store(facts(plan, claim.start, nodes=nodes), cluster=cluster, attempt=claim.attempt, until=end, settled=end, spent=Spent())


def configure() -> None:
    """A rule, and a rate that changes once within the second day."""
    from finops.models import ExchangeRate, Rate, Setting, TeamRule

    Setting.objects.create(currency="CHF", timezone="Europe/Zurich")
    TeamRule.objects.create(position=0, kind="from_pod_label", label="team")
    turn = START + timedelta(hours=30, minutes=20)
    ExchangeRate.objects.create(currency="EUR", rate="0.94", start=START - timedelta(days=400))
    Rate.objects.create(price="3.80", currency="CHF", gpu_model=A100, end=turn)
    Rate.objects.create(price="3.95", currency="EUR", gpu_model=A100, start=turn)
    Rate.objects.create(price="0.55", currency="CHF", gpu_model=T4)

