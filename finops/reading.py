"""Reads what hours are made of out of the stored facts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from finops.accounting.gpu_resources import CLAIM
from finops.accounting.hour_findings import Card
from finops.accounting.leases import Sightings, lease
from finops.facts import About, Found, Held, Node, Said
from finops.findings import Finding, Part
from finops.sightings import Sighting, machines, parsed, pods


def read(cursor, cluster: int, start: datetime, end: datetime) -> Found:
    """Everything the ledger of [start, end) is made from."""
    return read_hours(cursor, cluster, [(start, end)])[0]


def read_hours(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]]) -> list[Found]:
    """The same of several hours, which rise and lie near each other: what they share is read once."""
    found = [Found() for _ in hours]
    _nodes(cursor, cluster, hours, found)
    _leases(cursor, cluster, hours, found)
    _uses(cursor, cluster, hours, found)
    _afterwards(cursor, cluster, hours, found)
    _cards(cursor, cluster, hours, found)
    for (start, _), hour in zip(hours, found, strict=True):
        _claims(cursor, cluster, start, hour)
    _other_hours(cursor, cluster, found)
    _told(cursor, cluster, hours, found)
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
        """select uid, resource, node, quantity, first_held, last_held, half_interval, scheduled, accepted, started, ended, completed, taken
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


# What a last sample speaks for after the end its own hour knew, up to the end that all hours know.
AFTER = """
select n - 1, uid, resource, gpu_model, extract(epoch from quarter)::bigint, share, after_since, after_seconds, after_busy_seconds
from unnest(%s::timestamptz[], %s::timestamptz[]) with ordinality as asked (begin, until, n)
join use_quarter on cluster_id = %s and quarter >= begin and quarter < until and after_seconds > 0 order by 1, 2, 3, 4, 5, uuid, gpu_instance
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


def _afterwards(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    until = [int(end.timestamp()) for _, end in hours]
    ends = [{held.id: span.end for each in hour.held.values() for held in each if (span := lease(held.seen))} for hour in found]
    cursor.execute(AFTER, [*map(list, zip(*hours, strict=True)), cluster])
    for n, uid, resource, model, quarter, share, since, seconds, busy in cursor.fetchall():
        key, span, hour = (f"{uid} {resource}", model), (quarter, min(quarter + 900, until[n])), found[n]
        part = min(max(ends[n].get(key[0], since) - since, 0.0), seconds) / seconds
        if part:
            hour.measured[key][span] = hour.measured[key].get(span, 0.0) + seconds * share * part
            hour.used[key][span] = hour.used[key].get(span, 0.0) + busy * part


def _cards(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    """Devices whose samples are doubtful, under each lease, and what part of all it held each is."""
    cursor.execute(
        """select n, uuid, gpu_instance, node, lease, rejected, frozen, inferred, case when whole > 0 then held / whole else 1 end from (
                select n - 1 as n, uuid, gpu_instance, min(node) as node, uid || ' ' || resource as lease, sum(rejected)::int as rejected,
                  bool_or(source like '%%frozen%%') as frozen, bool_or(inferred) as inferred, sum(share * held_seconds) as held,
                  sum(sum(share * held_seconds)) over (partition by n, uid, resource) as whole
                from unnest(%s::timestamptz[], %s::timestamptz[]) with ordinality as asked (begin, until, n)
                join use_quarter on cluster_id = %s and quarter >= begin and quarter < until group by n, uuid, gpu_instance, uid, resource) card
            where rejected > 0 or inferred or frozen order by 1, 2, 3, 5""",
        [*map(list, zip(*hours, strict=True)), cluster],
    )
    for n, *row in cursor.fetchall():
        found[n].cards.append(Card(*row))


def _told(cursor, cluster: int, hours: Sequence[tuple[datetime, datetime]], found: list[Found]) -> None:
    """What was found while the hours were collected, and whether the source has anything of them."""
    cursor.execute(
        """select n - 1, kind, subject, message, evidence::text, teams, reach::text from unnest(%s::timestamptz[]) with ordinality as asked (begin, n)
           join finding on cluster_id = %s and hour = begin and origin = 'collecting' order by 1, 2, 3""",
        [[start for start, _ in hours], cluster],
    )
    for n, kind, subject, message, evidence, teams, reach in cursor.fetchall():
        parts = tuple(map(Part.read, parsed(reach)))
        found[n].told.append(Finding(kind, subject, message, parsed(evidence), tuple(teams), parts, "collecting"))
    cursor.execute("select distinct hour from node_hour where cluster_id = %s and hour = any(%s)", [cluster, [start for start, _ in hours]])
    seen = {hour for (hour,) in cursor.fetchall()}
    for (start, _), hour in zip(hours, found, strict=True):
        hour.blind = start not in seen


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
