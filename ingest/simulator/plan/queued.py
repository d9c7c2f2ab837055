"""Teams whose work goes through a queue: one run after another on a few cards, and the next ones waiting."""

from collections.abc import Iterator, Sequence

from ingest.simulator.fleet import EXTRA
from ingest.simulator.jobs import DAMAGE, DEFECT_RETRAIN, DEFECT_TRAIN, INTENT, SCORING, SEGMENT, SMILE
from ingest.simulator.pods import Job, Pod, pod, scheduled
from ingest.simulator.weeks import MON, SUN, THU, TUE, WED, Week

LINGER = 4 * 3600.0
VISION_NODE = "gpu-v100-07"
Span = tuple[float, float]


def pods(week: Week) -> Iterator[Pod]:
    """Scoring, vision, nlp, claims and pricing on the V100 nodes."""
    whole = [(week.at(MON, "00:05"), week.at(SUN + 1, "00:00"))]
    for node, jobs in (("gpu-v100-04", SCORING[:4]), ("gpu-v100-08", SCORING[4:])):
        yield from _lane(week, jobs, node, whole, shortest=5, longest=14, waits=8.5)
    yield from _lane(week, (SEGMENT, DEFECT_TRAIN), VISION_NODE, _free(week), shortest=9, longest=16, waits=0.4, rest=1800)
    for day in range(7):
        yield _run(INTENT, "gpu-v100-04", ("3",), week.at(day, "00:30"), week.at(day, "22:06"))
        yield _run(DAMAGE, "gpu-v100-08", ("3",), week.at(day, "08:00"), week.at(day, "22:24"))
        begin, end = week.at(day, "06:00"), week.at(day, "22:48")
        if any(a <= begin and end <= b for a, b in _free(week)):
            yield _run(SMILE, VISION_NODE, ("3",), begin, end)
    if week.position == 0:
        for index, node in enumerate(EXTRA[5:]):
            yield _run(DEFECT_RETRAIN, node, ("0", "1", "2", "3"), week.at(THU, "01:06"), week.at(THU, "23:22"), index=index)


def _free(week: Week) -> list[Span]:
    """When the gang of 16 does not need the node."""
    begin, end = week.at(MON, "00:05"), week.at(SUN + 1, "00:00")
    gang = {0: (week.at(TUE, "14:00"), week.at(WED, "16:40")), 2: (week.at(TUE, "07:20"), week.at(THU, "07:00"))}.get(week.position)
    return [(begin, gang[0]), (gang[1], end)] if gang else [(begin, end)]


def _run(job: Job, node: str, cards: tuple[str, ...], begin: float, end: float, *, index: int = 0) -> Pod:
    return pod(
        job, node=node, cards=cards, bound=begin, ended=end, run=scheduled(job, begin), index=index, outcome="Succeeded", linger=LINGER
    )


def _lane(
    week: Week, jobs: Sequence[Job], node: str, spans: list[Span], *, shortest: float, longest: float, waits: float, rest: float = 120.0
) -> Iterator[Pod]:
    """Runs of `shortest` to `longest` hours of three GPUs, one in six of two; each waited for up to `waits` hours.

    Two runs of one name never exist at once: the first job opens the week, the others take turns.
    """
    number = 0
    for begin, until in spans:
        while until - begin > 3600:
            dice = [week.dice(node, number, word) for word in ("length", "wait", "size", "end", "rest")]
            end = min(float(int(begin + 3600 * (shortest + (longest - shortest) * dice[0]))), until)
            created = begin - int(3600 * waits * dice[1]) - 5
            yield pod(
                jobs[(number - 1) % (len(jobs) - 1) + 1 if number and len(jobs) > 1 else 0],
                node=node,
                cards=("0", "1") if dice[2] < 1 / 6 else ("0", "1", "2"),
                bound=begin,
                ended=end,
                created=max(created, spans[0][0]) if number else created,
                outcome="Failed" if dice[3] > 0.97 else "Succeeded",
                linger=300.0,
                gated=True,
            )
            begin, number = end + int(rest * (1 + dice[4])), number + 1
