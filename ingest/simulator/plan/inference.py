"""What serves requests round the clock on T4 cards and MIG instances, released once a week, and who tries things out there."""

from collections.abc import Iterator

from ingest.simulator.jobs import (
    ADAPTER,
    CARD_EMBED,
    CHAT,
    DEFECT_LIVE,
    EMBED_LAB,
    GATEWAY,
    OCR,
    RANKER,
    RT_SCORER,
    SUMMARISE,
    TEST_LLM,
    TRY_MIG,
)
from ingest.simulator.pods import Job, Pod, pod
from ingest.simulator.weeks import FRI, MON, THU, TUE, WED, Week

A, T1, T2, T3 = "gpu-a100-01", "gpu-t4-01", "gpu-t4-02", "gpu-t4-03"
# day of the weekly release, job, node, one card per replica; "0#1" is the second replica of board 0
ALWAYS = (
    (TUE, RANKER, T1, ("0", "1", "2")),
    (WED, OCR, T2, ("0", "1")),
    (MON, CHAT, T2, ("3",)),
    (THU, RT_SCORER, T3, ("0#0", "0#1", "1#0")),
    (THU, SUMMARISE, T3, ("1#1",)),
    (TUE, GATEWAY, T3, ("2#0", "2#1")),
    (WED, CARD_EMBED, A, ("1",)),
    (TUE, EMBED_LAB, A, ("2:3",)),
    (FRI, DEFECT_LIVE, A, ("2:5",)),
)
# scaled up for the busy hours of each day
DAILY = ((RANKER, T1, "3", "08:00", "19:24"), (OCR, T2, "2", "07:00", "16:42"))


def pods(week: Week) -> Iterator[Pod]:
    """All pods that are created in this week."""
    for day, job, node, cards in ALWAYS:
        for index, card in enumerate(cards):
            yield _replica(
                job, node, card, week.at(day, "10:02") + 7 * index, week.next.at(day, "10:00"), index, f"{job.name} {week.index}"
            )
    for job, node, card, begin, end in DAILY:
        for day in range(7):
            yield _replica(job, node, card, week.at(day, begin), week.at(day, end), 9, f"{job.name} {week.index}")
    yield pod(ADAPTER, node=A, cards=("3:1",), bound=week.at(MON, "06:30"), ended=week.at(FRI, "23:30"))
    yield pod(TRY_MIG, node=A, cards=("3:9",), bound=week.at(MON, "10:15"), ended=week.next.at(MON, "09:50"))
    yield pod(TEST_LLM, node=T3, cards=("3#0",), bound=week.at(MON, "13:10"), ended=week.at(FRI, "17:30"))


def _replica(job: Job, node: str, card: str, begin: float, end: float, index: int, run: str) -> Pod:
    return pod(job, node=node, cards=(card,), bound=begin, ended=end, index=index, run=run)
