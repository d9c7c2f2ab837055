"""Team fraud: notebooks that nobody closes, and a gang that sits with 12 of 16 pods."""

from collections.abc import Iterator
from dataclasses import replace

from ingest.simulator.curves import Training
from ingest.simulator.fleet import EXTRA
from ingest.simulator.jobs import (
    ANOMALY,
    EVALUATION,
    FEATURES,
    GANG,
    MULE,
    NB_EXPLORE,
    NB_GRAPH,
    NB_KELLER,
    NB_NOTES,
    NB_ROSSI,
    NB_SCHMID,
    SWEEP,
)
from ingest.simulator.plan.spot import on_spot
from ingest.simulator.pods import Job, Pod, pod
from ingest.simulator.weeks import CYCLE, FRI, MON, SAT, SUN, THU, TUE, WED, Week

HOME = ("gpu-v100-03", "gpu-v100-05", "gpu-v100-06")
LAST = "gpu-v100-07"
ALL = ("0", "1", "2", "3")
# opened in the week of this position, closed four weeks later: two of them so that the gang of 16 fits the quota of 20
NOTEBOOKS = (
    (2, (THU, "09:12"), (TUE, "07:00"), NB_KELLER, "gpu-v100-01", ("0", "1")),
    (2, (THU, "10:40"), (TUE, "07:05"), NB_GRAPH, "gpu-v100-01", ("2", "3")),
    (3, (MON, "08:55"), (MON, "08:10"), NB_EXPLORE, "gpu-a100-01", ("0",)),
    (1, (THU, "13:20"), (THU, "12:05"), NB_NOTES, "gpu-a100-01", ("2:1",)),
)
# these two are closed on Tuesday of the story week, to let the gang finish, and opened again on Wednesday
INTERRUPTED = ((1, WED, "09:05", "16:41", NB_SCHMID, ("0", "1")), (3, TUE, "11:30", "16:52", NB_ROSSI, ("2", "3")))
HALF_DAY = 12 * 3600.0
# position → (start, end, seconds in which the gang waits for its last four pods, whether they ever come)
RUNS = {
    0: (((TUE, "08:12"), (WED, "16:36"), 5.9 * 3600, True), ((FRI, "10:00"), (SUN, "18:30"), 22 * 3600.0, False)),
    1: (((WED, "09:00"), (SAT, "06:00"), 15 * 3600.0, False),),
    2: (((TUE, "07:30"), (THU, "06:54"), 0.0, True),),
    3: (((MON, "12:00"), (THU, "12:00"), 20 * 3600.0, False),),
}
# mule-gnn asks for three GPUs per pod: on nodes of four, one is left over
MULES = {
    0: (((WED, "18:00"), (THU, "23:18")),),
    1: (((MON, "08:00"), (WED, "06:00")), ((SAT, "08:00"), (SUN, "13:00"))),
    2: (((MON, "02:10"), (TUE, "07:00")), ((THU, "09:00"), (SUN, "22:00"))),
    3: (((THU, "14:00"), (SUN, "10:00")),),
}
EVALUATIONS = {0: (THU,), 1: (MON, TUE, SUN), 2: (FRI, SAT), 3: (FRI, SAT)}


def pods(week: Week) -> Iterator[Pod]:
    """All pods of the team that are created in this week, those for inference apart."""
    yield from _notebooks(week)
    for run in RUNS[week.position]:
        yield from _gang(week, run)
    for begin, end in MULES[week.position]:
        for index, node in enumerate(HOME[:2]):
            yield _job(MULE, node, ("0", "1", "2"), week.at(*begin), week.at(*end), index=index)
    for day in EVALUATIONS[week.position]:
        yield _job(EVALUATION, HOME[2], ("0", "1"), week.at(day, "14:00"), week.at(day, "20:10"))
    if week.position == 0:
        yield from _sweep(week)
    for day in range(7):
        yield from on_spot(week, FEATURES, ("2", "3"), week.at(day, "01:00"), week.at(day, "07:00"))
        yield from on_spot(week, ANOMALY, ("2", "3"), week.at(day, "08:00"), week.at(day, "14:00"))


def _job(job: Job, node: str, cards: tuple[str, ...], begin: float, end: float, *, index: int = 0) -> Pod:
    return pod(job, node=node, cards=cards, bound=begin, ended=end, index=index, outcome="Succeeded", linger=HALF_DAY)


def _notebooks(week: Week) -> Iterator[Pod]:
    later = Week(week.index + CYCLE, week.seed)
    for position, opened, closed, job, node, cards in NOTEBOOKS:
        if week.position == position:
            yield pod(job, node=node, cards=cards, bound=week.at(*opened), ended=later.at(*closed))
    for position, day, clock, again, job, cards in INTERRUPTED:
        if week.position == position:
            end = Week(week.index + CYCLE - position, week.seed).at(TUE, "14:04")
            yield pod(job, node="gpu-v100-02", cards=cards, bound=week.at(day, clock), ended=end)
        if week.position == 0:
            ended = Week(week.index + position, week.seed).at(day, clock) - 3600
            curve = replace(job.curve, until=0.0) if job is NB_SCHMID else None  # opened again and never used
            yield pod(job, node="gpu-v100-02", cards=cards, bound=week.at(WED, again), ended=ended, curve=curve)


def _gang(week: Week, run: tuple) -> Iterator[Pod]:
    (begin, end, waits, complete) = week.at(*run[0]), week.at(*run[1]), run[2], run[3]
    curve = Training(GANG.curve.level, waits=waits, evaluates=3960.0 if complete else 0.0)
    for index in range(16):
        here = index < 12
        node, bound = (HOME[index // 4] if here else LAST), (begin if here else begin + waits if complete else None)
        yield pod(
            GANG,
            node=node if bound is not None else "",
            cards=(ALL[index % 4],) if bound is not None else (),
            bound=bound,
            ended=end,
            index=index,
            created=begin - 4,
            outcome="Succeeded" if bound is not None else "",
            linger=HALF_DAY,
            curve=curve if here else Training(GANG.curve.level, evaluates=curve.evaluates),
        )


def _sweep(week: Week) -> Iterator[Pod]:
    """Outside the queue, on nodes that nobody had limited."""
    for index in range(20):
        yield _job(SWEEP, EXTRA[index // 4], (ALL[index % 4],), week.at(THU, "02:00"), week.at(THU, "22:24"), index=index)
