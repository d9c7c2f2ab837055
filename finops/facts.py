"""Reads what hours are made of: nodes alive in each, leases that reach into it, and their measured use."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from finops.accounting.gpu_resources import CLAIM
from finops.accounting.hour_findings import Card
from finops.accounting.leases import Sightings, lease
from finops.sightings import Sighting, machines, parsed, pods


@dataclass(frozen=True, slots=True)
class Node:
    """A node alive over [start, end), unix seconds; it may begin or end outside the hour. `withheld`: GPUs no pod could get, by kind."""

    name: str
    start: int
    end: int
    unit_shares: dict[str, str]
    models: dict[str, int]
    pool: str
    instance_type: str
    capacity_type: str
    capacity: dict[str, int]
    cpus: float | None = None
    memory: float | None = None  # bytes
    withheld: dict[str, str] = field(default_factory=dict)

    def unit_share(self, resource: str) -> Fraction:
        return Fraction(self.unit_shares.get(resource, "1"))


@dataclass(frozen=True, slots=True)
class Held:
    """A lease: `quantity` units of `resource`."""

    id: str
    resource: str
    quantity: int
    seen: Sightings


@dataclass(frozen=True, slots=True)
class Said:
    """What labels and annotations said of a pod, and the user and queue they name, from `since` on; None: from before."""

    since: float | None
    labels: dict[str, str]
    annotations: dict[str, str] = field(default_factory=dict)
    user: str = ""
    queue: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """Whose a lease is: `own` and its namespace's labels as they followed one another in the hour."""

    uid: str
    namespace: str
    pod: str
    job_kind: str
    job: str
    run: str
    own: list[Said]
    space: list[Said]

    def at(self, instant: int) -> tuple[Said, Said]:
        """What the pod's and what its namespace's labels said at `instant` (unix seconds)."""
        pod, space = ([said for said in runs if said.since is None or round(said.since) <= instant][-1] for runs in (self.own, self.space))
        return pod, space

    def changes(self) -> list[int]:
        """The instants at which either changes."""
        return [round(said.since) for said in (*self.own, *self.space) if said.since is not None]


@dataclass(slots=True)
class Found:
    """`measured`, `used`: GPU-seconds, `joules`: energy, each by (lease, model) and quarter; `rest`: joules by (node, model) that
    no lease is known to have used; `models`: GPUs of each model that a lease's devices were, in this hour or else in its others."""

    nodes: list[Node] = field(default_factory=list)
    held: dict[str, list[Held]] = field(default_factory=lambda: defaultdict(list))
    pods: dict[str, About] = field(default_factory=dict)
    measured: dict = field(default_factory=lambda: defaultdict(dict))
    used: dict = field(default_factory=lambda: defaultdict(dict))
    joules: dict = field(default_factory=lambda: defaultdict(dict))
    rest: dict = field(default_factory=lambda: defaultdict(dict))
    models: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    cards: list[Card] = field(default_factory=list)


def read(cursor, cluster: int, start: datetime, end: datetime) -> Found:
    """Everything the ledger of [start, end) is made from."""
    return read_hours(cursor, cluster, [(start, end)])[0]


def read_hours(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]]) -> list[Found]:
    """The same of several hours, which rise and lie near each other: what they share is read once."""
    found = [Found() for _ in hours]
    _nodes(cursor, cluster, hours, found)
    _leases(cursor, cluster, hours, found)
    _uses(cursor, cluster, hours, found)
    _cards(cursor, cluster, hours, found)
    for (start, _), hour in zip(hours, found, strict=True):
        _claims(cursor, cluster, start, hour)
    _other_hours(cursor, cluster, found)
    return found


def _nodes(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    for seen in machines(cursor, cluster, hours[0][0], hours[-1][0]):
        for (start, end), hour in zip(hours, found, strict=True):
            if there := seen.at(start):
                hour.nodes.append(_node(*there, start, end))


def _node(row: Sighting, before: Sighting | None, later: bool, start: datetime, end: datetime) -> Node:
    name, created, first, last, half, unit_shares, models, pool, instance, kind, capacity, cpus, memory, withheld = row.told
    begin, until = start.timestamp(), end.timestamp()
    if created is None and before:
        created = before.told[1]
    joined = created if created is not None else begin if before else first - half
    left = until if later or last >= until else last + half
    about = parsed(unit_shares), parsed(models), pool, instance, kind, parsed(capacity), cpus, memory
    return Node(name, round(joined), round(left), *about, parsed(withheld) if row.hour == start else {})


def _leases(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    cursor.execute(
        """select uid, resource, node, quantity, first_held, last_held, half_interval, scheduled, accepted, started, ended, completed
           from lease where cluster_id = %s and coalesce(scheduled, accepted, first_held) < %s
           and greatest(last_held + half_interval, completed) > %s order by uid, resource""",
        [cluster, hours[-1][1].timestamp(), hours[0][0].timestamp()],
    )
    spans = [(start.timestamp(), end.timestamp()) for start, end in hours]
    first: dict[tuple[str, str], datetime] = {}
    for uid, resource, node, quantity, *seen in cursor.fetchall():
        held = Held(f"{uid} {resource}", resource, quantity, Sightings(*seen))
        span = lease(held.seen)
        for n, (start, end) in enumerate(spans if span else ()):
            if span.end > start and span.start < end:
                found[n].held[node].append(held)
                first.setdefault((uid, resource), hours[n][0])
    said = pods(cursor, cluster, first, last=hours[-1][0])
    for (start, _), hour in zip(hours, found, strict=True):
        for held in (each for group in hour.held.values() for each in group):
            if seen := said.get(held.id):
                hour.pods[held.id] = _about(held.id.split(" ")[0], seen.nearest(start), start)


def _about(uid: str, row: Sighting, start: datetime) -> About:
    *who, own, space = row.told
    return About(uid, *who, _said(parsed(own), row.hour, start), _said(parsed(space), row.hour, start))


def _said(runs: list[dict], hour: datetime, start: datetime) -> list[Said]:
    """The runs of this hour; of an hour before only its last, of one after only its first."""
    kept = runs if hour == start else runs[-1:] if hour < start else runs[:1]
    return [Said(**(run if hour == start else run | {"since": None})) for run in kept]


# Sums of floating point in a fixed order: an hour read alone and one read with its day are the same to the last bit.
USES = """
select n - 1, uid, resource, gpu_model, extract(epoch from quarter)::bigint, sum(measured_seconds * share order by uuid, gpu_instance),
    sum(busy_seconds order by uuid, gpu_instance), sum(energy_joules order by uuid, gpu_instance), sum(share order by uuid, gpu_instance)
from unnest(%s::timestamptz[], %s::timestamptz[]) with ordinality as asked (begin, until, n)
join use_quarter on cluster_id = %s and quarter >= begin and quarter < until group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
"""
BOARDS = """
select n - 1, node, gpu_model, extract(epoch from quarter)::bigint, sum(unheld_joules order by uuid)
from unnest(%s::timestamptz[], %s::timestamptz[]) with ordinality as asked (begin, until, n)
join board_quarter on cluster_id = %s and quarter >= begin and quarter < until group by 1, 2, 3, 4 order by 1, 2, 3, 4
"""


def _uses(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    until = [int(end.timestamp()) for _, end in hours]
    cursor.execute(USES, [*map(list, zip(*hours, strict=True)), cluster])
    for n, uid, resource, model, quarter, measured, busy, joules, share in cursor.fetchall():
        key, span, hour = (f"{uid} {resource}", model), (quarter, min(quarter + 900, until[n])), found[n]
        hour.measured[key][span], hour.used[key][span] = measured, busy
        hour.models[key[0]][model] = max(share, hour.models[key[0]].get(model, 0.0))
        if joules is not None:
            hour.joules[key][span] = joules
    cursor.execute(BOARDS, [*map(list, zip(*hours, strict=True)), cluster])
    for n, node, model, quarter, joules in cursor.fetchall():
        found[n].rest[node, model][quarter, min(quarter + 900, until[n])] = joules


def _cards(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    """Devices whose samples are doubtful, under each lease."""
    cursor.execute(
        """select n - 1, uuid, gpu_instance, min(node), uid || ' ' || resource, sum(rejected)::int, bool_or(source like '%%frozen%%'), bool_or(inferred)
           from unnest(%s::timestamptz[], %s::timestamptz[]) with ordinality as asked (begin, until, n)
           join use_quarter on cluster_id = %s and quarter >= begin and quarter < until
             and (rejected > 0 or inferred or source like '%%frozen%%') group by 1, 2, 3, 5 order by 1, 2, 3, 5""",
        [*map(list, zip(*hours, strict=True)), cluster],
    )
    for n, *row in cursor.fetchall():
        found[n].cards.append(Card(*row))


def _claims(cursor, cluster: int, start: datetime, found: Found) -> None:
    """Where no device of the hour tells what a claim gives: what the nearest hour shows that does."""
    blind = {held.id: held for each in found.held.values() for held in each if held.resource == CLAIM and held.id not in found.models}
    if not blind:
        return
    cursor.execute(
        """select distinct on (uid) uid || ' ' || resource, gpu_models from pod_hour
           where cluster_id = %s and uid = any(%s) and resource = %s and gpu_models <> '{}'
           order by uid, abs(extract(epoch from hour - %s)), hour""",
        [cluster, sorted({id_.split(" ")[0] for id_ in blind}), CLAIM, start],
    )
    for lease_id, models in cursor.fetchall():
        found.models[lease_id] = parsed(models)


def _other_hours(cursor, cluster: int, found: list[Found]) -> None:
    """Where no device of the hour tells a lease's model on a node of several: the model its other hours show."""
    blind = [(hour, held.id) for hour in found for held in _on_nodes_of_several(hour) if held.id not in hour.models]
    if not blind:
        return
    cursor.execute(
        """select uid || ' ' || resource, model, sum(gpus::double precision order by hour) from pod_hour, jsonb_each_text(gpu_models) as m (model, gpus)
           where cluster_id = %s and uid = any(%s) group by 1, 2 order by 1, 2""",
        [cluster, sorted({id_.split(" ")[0] for _, id_ in blind})],
    )
    told: Mapping[str, dict[str, float]] = defaultdict(dict)
    for lease_id, model, gpus in cursor.fetchall():
        told[lease_id][model] = gpus
    for hour, lease_id in blind:
        if lease_id in told:
            hour.models[lease_id] = told[lease_id]


def _on_nodes_of_several(hour: Found) -> list[Held]:
    several = {node.name for node in hour.nodes if len(node.models) > 1}
    return [held for name in several for held in hour.held.get(name, [])]
