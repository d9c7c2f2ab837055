"""Reads what one hour is made of: nodes alive in it, leases that reach into it, and their measured use."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from finops.accounting.hour_findings import Card
from finops.accounting.leases import Sightings, lease
from finops.findings import Finding, Part


@dataclass(frozen=True, slots=True)
class Node:
    """A node alive over [start, end), unix seconds; it may begin or end outside the hour."""

    name: str
    start: int
    end: int
    unit_shares: dict[str, str]
    models: dict[str, int]
    pool: str
    instance_type: str
    capacity_type: str
    capacity: dict[str, int]

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
    blind: bool = False  # whether the source has nothing of the hour
    told: list[Finding] = field(default_factory=list)  # what was found while the hour was collected


def read(cursor, cluster: int, start: datetime, end: datetime) -> Found:
    """Everything the ledger of [start, end) is made from."""
    found = Found()
    found.nodes = _nodes(cursor, cluster, start, end)
    _leases(cursor, cluster, start, end, found)
    _uses(cursor, cluster, start, end, found)
    _cards(cursor, cluster, start, end, found)
    _other_hours(cursor, cluster, found)
    _told(cursor, cluster, start, found)
    cursor.execute("select not exists (select from node_hour where cluster_id = %s and hour = %s)", [cluster, start])
    (found.blind,) = cursor.fetchone()
    return found


# A row whose sightings lie in its margin alone says nothing about its own hour.
NODES = """
with own as (select * from node_hour where cluster_id = %(cluster)s and hour = %(start)s),
before as (select distinct on (node, node_uid) * from node_hour where cluster_id = %(cluster)s and hour < %(start)s
    and first_seen < extract(epoch from hour) + 3600 and hour >= %(start)s - interval '7 days' order by node, node_uid, hour desc),
after as (select distinct on (node, node_uid) * from node_hour where cluster_id = %(cluster)s and hour > %(start)s
    and last_seen >= extract(epoch from hour) and hour <= %(start)s + interval '7 days' order by node, node_uid, hour)
select coalesce(o.node, b.node), coalesce(o.created, b.created), coalesce(o.first_seen, b.first_seen), b.node is not null,
    coalesce(o.last_seen, b.last_seen), coalesce(o.half_interval, b.half_interval), a.node is not null,
    coalesce(o.unit_shares, b.unit_shares), coalesce(o.models, b.models), coalesce(o.node_pool, b.node_pool),
    coalesce(o.instance_type, b.instance_type), coalesce(o.capacity_type, b.capacity_type), coalesce(o.capacity, b.capacity)
from own o full join before b using (node, node_uid) left join after a
    on a.node = coalesce(o.node, b.node) and a.node_uid = coalesce(o.node_uid, b.node_uid)
where o.node is not null or a.node is not null order by 1
"""


def _nodes(cursor, cluster: int, start: datetime, end: datetime) -> list[Node]:
    cursor.execute(NODES, {"cluster": cluster, "start": start})
    begin, until = start.timestamp(), end.timestamp()
    nodes = []
    for name, created, first, earlier, last, half, later, unit_shares, models, pool, instance, kind, capacity in cursor.fetchall():
        joined = created if created is not None else begin if earlier else first - half
        left = until if later or last >= until else last + half
        nodes.append(Node(name, round(joined), round(left), _json(unit_shares), _json(models), pool, instance, kind, _json(capacity)))
    return nodes


def _json(value):
    return json.loads(value) if isinstance(value, str) else value


def _leases(cursor, cluster: int, start: datetime, end: datetime, found: Found) -> None:
    cursor.execute(
        """select uid, resource, node, quantity, first_held, last_held, half_interval, scheduled, accepted, started, ended, completed
           from lease where cluster_id = %s and coalesce(scheduled, accepted, first_held) < %s
           and greatest(last_held + half_interval, completed) > %s order by uid, resource""",
        [cluster, end.timestamp(), start.timestamp()],
    )
    uids = set()
    for uid, resource, node, quantity, *seen in cursor.fetchall():
        span = lease(Sightings(*seen))
        if span and span.end > start.timestamp() and span.start < end.timestamp():
            found.held[node].append(Held(f"{uid} {resource}", resource, quantity, Sightings(*seen)))
            uids.add(uid)
    cursor.execute(
        """select distinct on (uid, resource) uid, resource, hour, namespace, pod, job_kind, job, run, label_runs,
             namespace_label_runs from pod_hour where cluster_id = %s and uid = any(%s)
           order by uid, resource, (hour <= %s) desc, case when hour <= %s then -extract(epoch from hour) else extract(epoch from hour) end""",
        [cluster, sorted(uids), start, start],
    )
    for uid, resource, hour, namespace, pod, kind, job, run, *runs in cursor.fetchall():
        own, space = (_said(_json(each), hour, start) for each in runs)
        found.pods[f"{uid} {resource}"] = About(uid, namespace, pod, kind, job, run, own, space)


def _said(runs: list[dict], hour: datetime, start: datetime) -> list[Said]:
    """The runs of this hour; of an hour before only its last, of one after only its first."""
    kept = runs if hour == start else runs[-1:] if hour < start else runs[:1]
    return [Said(**(run if hour == start else run | {"since": None})) for run in kept]


def _uses(cursor, cluster: int, start: datetime, end: datetime, found: Found) -> None:
    cursor.execute(
        """select uid, resource, gpu_model, extract(epoch from quarter)::bigint, sum(measured_seconds * share), sum(busy_seconds),
             sum(energy_joules), sum(share) from use_quarter where cluster_id = %s and quarter >= %s and quarter < %s
           group by 1, 2, 3, 4 order by 1, 2, 3, 4""",
        [cluster, start, end],
    )
    until = int(end.timestamp())
    for uid, resource, model, quarter, measured, busy, joules, share in cursor.fetchall():
        key, span = (f"{uid} {resource}", model), (quarter, min(quarter + 900, until))
        found.measured[key][span], found.used[key][span] = measured, busy
        found.models[key[0]][model] = max(share, found.models[key[0]].get(model, 0.0))
        if joules is not None:
            found.joules[key][span] = joules
    cursor.execute(
        """select node, gpu_model, extract(epoch from quarter)::bigint, sum(unheld_joules) from board_quarter
           where cluster_id = %s and quarter >= %s and quarter < %s group by 1, 2, 3 order by 1, 2, 3""",
        [cluster, start, end],
    )
    for node, model, quarter, joules in cursor.fetchall():
        found.rest[node, model][quarter, min(quarter + 900, until)] = joules


def _cards(cursor, cluster: int, start: datetime, end: datetime, found: Found) -> None:
    """Devices whose samples are doubtful, under each lease, and what part of all it held each is."""
    cursor.execute(
        """select uuid, gpu_instance, node, lease, rejected, frozen, inferred,
             case when whole > 0 then held / whole else 1 end from (
               select uuid, gpu_instance, min(node) as node, uid || ' ' || resource as lease, sum(rejected)::int as rejected,
                 bool_or(source like '%%frozen') as frozen, bool_or(inferred) as inferred, sum(share * held_seconds) as held,
                 sum(sum(share * held_seconds)) over (partition by uid, resource) as whole
               from use_quarter where cluster_id = %s and quarter >= %s and quarter < %s group by uuid, gpu_instance, uid, resource) card
           where rejected > 0 or inferred or frozen order by 1, 2, 4""",
        [cluster, start, end],
    )
    found.cards = [Card(*row) for row in cursor.fetchall()]


def _told(cursor, cluster: int, start: datetime, found: Found) -> None:
    """What was found while the hour was collected."""
    cursor.execute(
        """select kind, subject, message, evidence::text, teams, reach::text from finding
           where cluster_id = %s and hour = %s and origin = 'collecting' order by kind, subject""",
        [cluster, start],
    )
    for kind, subject, message, evidence, teams, reach in cursor.fetchall():
        parts = tuple(map(Part.read, json.loads(reach)))
        found.told.append(Finding(kind, subject, message, json.loads(evidence), tuple(teams), parts, "collecting"))


def _other_hours(cursor, cluster: int, found: Found) -> None:
    """Where no device of the hour tells a lease's model on a node of several: the model its other hours show."""
    several = {node.name for node in found.nodes if len(node.models) > 1}
    blind = [held.id for name in several for held in found.held.get(name, []) if held.id not in found.models]
    if not blind:
        return
    cursor.execute(
        """select uid || ' ' || resource, model, sum(gpus::double precision) from pod_hour, jsonb_each_text(gpu_models) as m (model, gpus)
           where cluster_id = %s and uid = any(%s) group by 1, 2 order by 1, 2""",
        [cluster, sorted({id_.split(" ")[0] for id_ in blind})],
    )
    for lease_id, model, gpus in cursor.fetchall():
        if lease_id in blind:
            found.models[lease_id][model] = gpus
