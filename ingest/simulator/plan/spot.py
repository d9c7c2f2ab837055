"""Pods on spot nodes: what does not fit into a node's life is lost with it."""

from collections.abc import Iterator

from ingest.simulator.fleet import day_spot, long_spot, spot_name
from ingest.simulator.jobs import AUGMENT, REVERSE, SMILE, STRESS, SURFACE
from ingest.simulator.pods import Job, Pod, pod, scheduled
from ingest.simulator.weeks import Week

LINGER = 6 * 3600.0


def on_spot(week: Week, job: Job, cards: tuple[str, ...], begin: float, end: float) -> Iterator[Pod]:
    """The job on the long spot node, cut where that node is taken back; what is cut vanishes without a phase."""
    for joined, left in long_spot(week):
        bound, ended = max(begin, joined + 90), min(end, left)
        if ended - bound > 900:
            whole = ended < left
            node = spot_name(week, "a", joined)
            yield pod(
                job,
                node=node,
                cards=cards,
                bound=bound,
                ended=ended,
                run=scheduled(job, begin),
                outcome="Succeeded" if whole else "",
                linger=LINGER,
            )


def pods(week: Week) -> Iterator[Pod]:
    """Scoring's stress tests, pricing's fits, vision's augmentation and a small one beside it."""
    for joined, left in long_spot(week):
        yield from _chain(week, STRESS, joined + 120, left)
    for day, (joined, left) in enumerate(day_spot(week)):
        node = spot_name(week, "b", joined)
        yield _done(AUGMENT, node, ("0", "1", "2"), joined + 600, left - 4500)
        yield _done(REVERSE, node, ("3",), joined + 1200, left - 5400)
        yield from on_spot(week, SURFACE, ("2", "3"), week.at(day, "15:00"), week.at(day, "19:48"))
    for day in (5, 6):
        yield from on_spot(week, SMILE, ("2", "3"), week.at(day, "15:00"), week.at(day, "19:48"))


def _done(job: Job, node: str, cards: tuple[str, ...], begin: float, end: float) -> Pod:
    return pod(job, node=node, cards=cards, bound=begin, ended=end, outcome="Succeeded", linger=LINGER)


def _chain(week: Week, job: Job, begin: float, left: float) -> Iterator[Pod]:
    """One run after another for as long as the node is there."""
    node, number = spot_name(week, "a", begin - 120), 0
    while left - begin > 1800:
        end = min(begin + 3600 * (9 + 8 * week.dice(job.name, node, number)) // 1, left)
        outcome = "Succeeded" if end < left else ""
        yield pod(job, node=node, cards=("0", "1"), bound=begin, ended=end, outcome=outcome, linger=LINGER)
        begin, number = end + 150, number + 1
