"""A pod's ledger lines put together again: spans of one price, one owner and one kind of GPU, with their arithmetic."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby

from finops.accounting.charge import BUCKETS
from finops.accounting.money import EXACT, QUANTUM, stored
from finops.facts import About, Node, Said
from finops.job.explanation import Applied, Charge, Decided
from finops.job.inputs import Hold, Inputs
from finops.job.lines import Line
from finops.job.reasons import Reasons
from finops.queries import together

SAME = "node node_pool instance_type capacity_type gpu_model team user queue".split()


@dataclass(frozen=True, slots=True)
class Told:
    """A line with its own begin and end, what decided it, and the GPUs of each hold in it."""

    line: Line
    begin: int
    end: int
    applied: Applied | None
    decided: Decided
    gpus: tuple[Fraction, ...]

    @property
    def key(self) -> tuple:
        about = self.line.about
        return (*(about[name] for name in SAME), self.line.price, self.applied, self.decided, self.gpus)


def charges(lines: Sequence[Line], inputs: Inputs, reasons: Reasons) -> list[Charge]:
    """The charges of one pod, by time. `lines`: all of that pod's, by node, kind of GPU and time."""
    uid = lines[0].uid
    holds = inputs.holds.get(uid, [])
    pod = inputs.pods.get(uid) or _only_labels(lines[0])
    found: list[Charge] = []
    for _, group in groupby(lines, key=lambda line: (line.about["node"], line.about["gpu_model"])):
        told = _told(list(group), holds, pod, inputs, reasons)
        found += [_charge(run, holds) for run in _runs(told)]
    return sorted(found, key=lambda charge: (charge.start, charge.gpu_model, charge.end))


def _only_labels(line: Line) -> About:
    """A pod whose facts are gone: what its line says of it."""
    own = Said(None, line.labels, {}, line.about["user"], line.about["queue"])
    return About(line.uid, "", line.about["pod"], "", "", line.about["run"], [own], [Said(None, {})])


def _told(lines: list[Line], holds: Sequence[Hold], pod: About, inputs: Inputs, reasons: Reasons) -> list[Told]:
    bound, over = min((int(h.lease.start) for h in holds), default=0), max((int(h.lease.end) for h in holds), default=lines[-1].until)
    beside = Counter((line.hour, line.since) for line in lines)
    starts = [(_begin(line, bound, pod, reasons) if beside[line.hour, line.since] > 1 else max(line.since, bound), line) for line in lines]
    starts.sort(key=lambda pair: (pair[1].hour, pair[0]))
    found = []
    for place, (begin, line) in enumerate(starts):
        following = starts[place + 1] if place + 1 < len(starts) else None
        until = following[0] if following and following[1].hour == line.hour else min(line.until, over)
        node, model = _node(line), line.about["gpu_model"]
        gpus = tuple(inputs.gpus(hold, model, at=line.hour) for hold in holds)
        found.append(Told(line, begin, until, reasons.price(node, model, at=begin), reasons.team(pod, node, at=begin), gpus))
    return found


def _begin(line: Line, bound: int, pod: About, reasons: Reasons) -> int:
    """When a line begins that has others beside it in its price span: where the pod became what it says."""
    begin = max(line.since, bound)
    turns = sorted(t for t in {*pod.changes(), *reasons.book.turns} if begin < t < line.until)
    return next((t for t in (begin, *turns) if _says(line, pod, t, reasons)), begin)


def _says(line: Line, pod: About, at: int, reasons: Reasons) -> bool:
    own, _ = pod.at(at)
    return own.labels == line.labels and reasons.team(pod, _node(line), at=at).team == line.about["team"]


def _node(line: Line) -> Node:
    about = line.about
    return Node(about["node"], line.since, line.until, {}, {}, about["node_pool"], about["instance_type"], about["capacity_type"], {})


def _runs(told: list[Told]) -> Iterator[list[Told]]:
    """Lines that follow one another without a gap and differ in nothing."""
    run: list[Told] = []
    for each in told:
        if run and (each.key != run[-1].key or each.begin > run[-1].end):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _charge(run: list[Told], holds: Sequence[Hold]) -> Charge:
    first, start, end = run[0], run[0].begin, run[-1].end
    about, sums = first.line.about, together([each.line.sums for each in run])
    times = tuple((gpus, seconds) for gpus, hold in zip(first.gpus, holds, strict=True) if gpus and (seconds := _inside(hold, start, end)))
    expected = _gpu_hours(times)
    missing = expected - sum((sums.hours(bucket) for bucket in BUCKETS), Decimal(0))
    rounding = QUANTUM * 2 * (len(run) + 1)
    return Charge(
        start,
        end,
        *(about[name] for name in ("node", "node_pool", "instance_type", "capacity_type", "gpu_model", "user", "queue")),
        first.line.price,
        first.applied,
        first.decided if first.decided.team == about["team"] else Decided(about["team"], None, "", ()),
        times,
        expected,
        missing if abs(missing) > rounding else Decimal(0),
        tuple(_restated(first)),
        sums,
    )


def _inside(hold: Hold, start: int, end: int) -> int:
    return max(0, min(int(hold.lease.end), end) - max(int(hold.lease.start), start))


def _gpu_hours(times: Sequence[tuple[Fraction, int]]) -> Decimal:
    whole = sum((gpus * seconds for gpus, seconds in times), Fraction(0))
    return stored(EXACT.divide(Decimal(whole.numerator), Decimal(whole.denominator * 3600)))


def _restated(told: Told) -> Iterator[str]:
    now = told.applied.price if told.applied else None
    if (None if now is None else stored(now)) != (None if told.line.price is None else stored(told.line.price)):
        yield f"the rates now give {'no price' if now is None else f'{now.normalize():f}'}"
    if told.decided.team != told.line.about["team"]:
        yield f"the rules now give the team {told.decided.team}"
