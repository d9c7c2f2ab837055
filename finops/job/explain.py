"""Puts the explanation together: sums from the query layer, lines from the ledger, reasons from facts and the Book."""

from collections.abc import Sequence
from itertools import groupby

from finops import queries
from finops.book import Book
from finops.job.charges import charges
from finops.job.devices import devices
from finops.job.doubts import doubts
from finops.job.explanation import Device, Difference, Explanation, Held, Pod, Run, dearest
from finops.job.gaps import gaps
from finops.job.inputs import Inputs, inputs
from finops.job.instants import held
from finops.job.lines import Line, lines
from finops.job.question import Question, resolved
from finops.job.reasons import Reasons
from finops.models import Cluster
from finops.scope import Refused, Window
from finops.selection import SUMS


def explain(asked: Question) -> Explanation:
    """The job, its figures and every input of them. Refused where it is not one job, or holds nothing in the window."""
    one, window, life = resolved(asked)
    answer = queries.costs(one.scope(window))
    told = lines(one, window, currency=answer.currency)
    if not told:
        raise Refused(f"{one.job} holds no GPU in that window")
    uids = {line.uid for line in told}
    facts, cards = inputs(one.cluster, uids), devices(one.cluster, uids, window)
    reasons = Reasons(Book(Cluster.objects.get(name=one.cluster)), currency=answer.currency)
    pods = dearest([_pod(list(mine), facts, cards.get(uid, []), reasons) for uid, mine in groupby(told, key=lambda line: line.uid)])
    found, more = doubts(pods, window, cluster=one.cluster, namespace=one.namespace, teams=one.teams)
    return Explanation(
        one.cluster,
        one.namespace,
        one.kind,
        one.name,
        one.run,
        window.start,
        window.end,
        min(charge.start for pod in pods for charge in pod.charges),
        max(charge.end for pod in pods for charge in pod.charges),
        window == life,
        str(queries.zone()),
        answer.currency,
        answer.as_of,
        answer.total,
        len(told),
        differences(answer.total, queries.together([charge.sums for pod in pods for charge in pod.charges])),
        tuple(answer.incomplete),
        _runs(one, window, pods),
        pods,
        found,
        more,
    )


def _pod(mine: Sequence[Line], facts: Inputs, cards: Sequence[Device], reasons: Reasons) -> Pod:
    uid, about = mine[0].uid, mine[-1].about
    spans = charges(mine, facts, reasons)
    sums = queries.together([charge.sums for charge in spans])
    return Pod(about["pod"], uid, about["run"], tuple(_held(uid, mine, facts)), tuple(cards), tuple(spans), tuple(gaps(mine)), sums)


def _held(uid: str, mine: Sequence[Line], facts: Inputs) -> list[Held]:
    return [
        held(
            hold.lease,
            hold.seen,
            resource=hold.resource,
            node=hold.node,
            quantity=hold.quantity,
            gpus=facts.whole(hold, at=mine[0].hour),
            known_until=facts.known_until,
        )
        for hold in facts.holds.get(uid, [])
    ]


def differences(queried: queries.Row, added: queries.Row) -> tuple[Difference, ...]:
    """Where the lines do not make the query layer's sums; energy aside, which is no decimal."""
    pairs = [(name, queried.sums[name], added.sums[name]) for name in SUMS if name != "energy_kwh"]
    return tuple(Difference(*pair) for pair in pairs if pair[1] != pair[2])


def _runs(one: Question, window: Window, pods: Sequence[Pod]) -> tuple[Run, ...]:
    """By time; none where the workload is its one run itself."""
    rows = queries.rows_of(one.scope(window, "run"))
    if [row.keys["run"] for row in rows] == [one.name]:
        return ()
    found = []
    for row in rows:
        spans = [(charge.start, charge.end) for pod in pods if pod.run == row.keys["run"] for charge in pod.charges]
        count = sum(pod.run == row.keys["run"] for pod in pods)
        found.append(Run(row.keys["run"], min((s for s, _ in spans), default=0), max((e for _, e in spans), default=0), count, row))
    return tuple(sorted(found, key=lambda run: (run.start, run.name)))
