"""Which machine bore a node's name, and when: a name may go on to another machine within an hour."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from ingest.sources import Samples
from ingest.tidy.answers import Answers, instant
from ingest.tidy.label_runs import raw

MACHINES = ("node_info", "node_created")  # asked for raw where a name goes on


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine under a node's name over [begin, until), unix seconds; infinite where it is the only one of the hour."""

    uid: str
    created: float | None
    begin: float = -inf
    until: float = inf

    def at(self, time: float) -> bool:
        return self.begin <= time < self.until


def machine_uid(labels: Mapping[str, str]) -> str:
    """What tells two machines of one name apart."""
    return labels.get("system_uuid") or labels.get("provider_id", "")


def replaced(samples: Samples) -> set[str]:
    """Names of nodes that several machines bear at one time of a reduced answer."""
    seen: dict[tuple[str, float], set[str]] = defaultdict(set)
    for index, time in zip(samples.series.tolist(), samples.time.tolist(), strict=True):
        labels = samples.labels[index]
        seen[labels.get("node", ""), time].add(machine_uid(labels))
    return {name for (name, _), uids in seen.items() if len(uids) > 1 and name}


def together(answers: Answers, key: str) -> dict[str, dict[str, str]]:
    """What the series of each node say together; of two values of one label the fuller series' stands: a second
    kube-state-metrics may show fewer labels."""
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row, _ in answers.last(key):
        if "node" in row:
            rows[row["node"]].append(row)
    return {
        node: {label: value for row in sorted(group, key=lambda r: (len(r), sorted(r.items()))) for label, value in row.items()}
        for node, group in rows.items()
    }


def machines(answers: Answers) -> dict[str, list[Machine]]:
    """The machines of each node that is told of, in their order; several only where one ends before the next begins."""
    created = {row["node"]: value for row, value in answers.last("node_created") if "node" in row and instant(value)}
    found = {name: [Machine("", joined)] for name, joined in created.items()}
    for name, row in together(answers, "node_info").items():
        found[name] = [Machine(machine_uid(row), created.get(name))]
    joined = _told(answers)
    for name, spans in _spans(answers).items():
        if len(spans) > 1 and all(a[2] < b[1] for a, b in pairwise(spans)):
            found[name] = _in_turn(spans, joined.get(name, []))
    return found


def _told(answers: Answers) -> dict[str, list[tuple[float, float]]]:
    """(when it was said, when the machine joined) by node, of those that were asked about in detail."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row, times, values in answers.series(raw("node_created")):
        found[row.get("node", "")] += [(t, v) for t, v in zip(times, values, strict=True) if instant(v)]
    return found


def _spans(answers: Answers) -> dict[str, list[tuple[str, float, float]]]:
    """(uid, first, last sighting) of each machine, by node and time, of those that were asked about in detail."""
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, seen, values in answers.series(raw("node_info")):
        times[row.get("node", "")][machine_uid(row)] += [t for t, v in zip(seen, values, strict=True) if v == 1]
    found = {name: [(uid, min(seen), max(seen)) for uid, seen in uids.items() if seen] for name, uids in times.items()}
    return {name: sorted(spans, key=lambda span: span[1]) for name, spans in found.items()}


def _in_turn(spans: Sequence[tuple[str, float, float]], joined: Sequence[tuple[float, float]]) -> list[Machine]:
    edges = [-inf, *((a[2] + b[1]) / 2 for a, b in pairwise(spans)), inf]
    gone = [-inf, *(last for _, _, last in spans)]
    return [
        # A node object that outlived its machine was created before this one came.
        Machine(uid, min((value for time, value in joined if begin <= time < until and value >= before), default=None), begin, until)
        for (uid, *_), begin, until, before in zip(spans, edges, edges[1:], gone, strict=False)
    ]
