"""What hours before and after tell of a machine or a pod: rows of node_hour and pod_hour, each hour's nearest at hand."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

REACH = timedelta(days=7)  # a node silent for longer has gone and come back


@dataclass(frozen=True, slots=True)
class Sighting:
    """One hour's row; `told`: its columns, those of the query that read it."""

    hour: datetime
    told: tuple


@dataclass(slots=True)
class Machine:
    """A node's hours, rising. `joins`, `stays`: those in which it was seen before the hour's end, after its beginning.

    A row whose sightings lie in its margin alone says nothing about its own hour.
    """

    own: dict[datetime, Sighting] = field(default_factory=dict)
    joins: list[datetime] = field(default_factory=list)
    stays: list[datetime] = field(default_factory=list)

    def add(self, row: Sighting, *, first: float, last: float) -> None:
        self.own[row.hour] = row
        if first < row.hour.timestamp() + 3600:
            self.joins.append(row.hour)
        if last >= row.hour.timestamp():
            self.stays.append(row.hour)

    def at(self, hour: datetime) -> tuple[Sighting, Sighting | None, bool] | None:
        """The row that tells of `hour`, the one before it, and whether one follows; None where it was not there."""
        earlier = bisect_left(self.joins, hour)
        before = self.own[self.joins[earlier - 1]] if earlier and self.joins[earlier - 1] >= hour - REACH else None
        later = bisect_right(self.stays, hour)
        after = later < len(self.stays) and self.stays[later] <= hour + REACH
        row = self.own.get(hour) or (before if after else None)
        return (row, before, after) if row else None


@dataclass(slots=True)
class Pod:
    """A pod's hours, rising; at least one."""

    hours: list[datetime] = field(default_factory=list)
    rows: list[Sighting] = field(default_factory=list)

    def nearest(self, hour: datetime) -> Sighting:
        """The row of the hour or the last before it, else the first after."""
        return self.rows[max(bisect_right(self.hours, hour) - 1, 0)]


# All of the hours asked for; before and after them one row of each machine that says it was there.
MACHINES = """
(select distinct on (node, node_uid) {columns} from node_hour where cluster_id = %(cluster)s and hour < %(first)s
    and first_seen < extract(epoch from hour) + 3600 and hour >= %(first)s - interval '7 days' order by node, node_uid, hour desc)
union all select {columns} from node_hour where cluster_id = %(cluster)s and hour >= %(first)s and hour <= %(last)s
union all (select distinct on (node, node_uid) {columns} from node_hour where cluster_id = %(cluster)s and hour > %(last)s
    and last_seen >= extract(epoch from hour) and hour <= %(last)s + interval '7 days' order by node, node_uid, hour)
""".format(columns="node_uid, hour, node, created, first_seen, last_seen, half_interval, unit_shares, models, node_pool, instance_type, "
                   "capacity_type, capacity, cpus, memory_bytes, withheld")  # fmt: skip


def machines(cursor, cluster: int, first: datetime, last: datetime) -> list[Machine]:
    """The machines of the hours from `first` to `last`, by name and uid."""
    cursor.execute(MACHINES, {"cluster": cluster, "first": first, "last": last})
    found: dict[tuple[str, str], Machine] = {}
    for uid, hour, *told in sorted(cursor.fetchall(), key=lambda row: row[1]):
        found.setdefault((told[0], uid), Machine()).add(Sighting(hour, tuple(told)), first=told[2], last=told[3])
    return [found[key] for key in sorted(found)]


PODS = "select uid, resource, hour, namespace, pod, job_kind, job, run, label_runs, namespace_label_runs from pod_hour"
NEAREST = """select pod_hour.* from unnest(%(uids)s::text[], %(resources)s::text[]) as asked (uid, resource),
    lateral ({pods} where cluster_id = %(cluster)s and uid = asked.uid and resource = asked.resource and hour {side} limit 1) as pod_hour"""
BEFORE = NEAREST.format(pods=PODS, side="< %(first)s order by hour desc")
AFTER = NEAREST.format(pods=PODS, side="> %(last)s order by hour")


def pods(cursor, cluster: int, first: Mapping[tuple[str, str], datetime], *, last: datetime) -> dict[str, Pod]:
    """The pods of these leases by lease; `first`: the hour from which each (uid, resource) is asked for, up to `last`."""
    if not first:
        return {}
    begin = min(first.values())
    cursor.execute(
        f"{PODS} where cluster_id = %s and hour >= %s and hour <= %s and uid = any(%s) order by hour",
        [cluster, begin, last, sorted({uid for uid, _ in first})],
    )
    rows = cursor.fetchall()
    for query in (BEFORE, AFTER):
        seen = {(uid, resource) for uid, resource, hour, *_ in rows if hour <= first.get((uid, resource), begin)}
        if missing := first.keys() - (seen if query is BEFORE else {row[:2] for row in rows}):
            uids, resources = zip(*sorted(missing), strict=True)
            cursor.execute(query, {"cluster": cluster, "uids": list(uids), "resources": list(resources), "first": begin, "last": last})
            rows += cursor.fetchall()
    return _pods(rows)


def _pods(rows: Iterable[tuple]) -> dict[str, Pod]:
    found: dict[str, Pod] = {}
    for uid, resource, hour, *told in sorted(rows, key=lambda row: row[2]):
        pod = found.setdefault(f"{uid} {resource}", Pod())
        pod.hours.append(hour)
        pod.rows.append(Sighting(hour, tuple(told)))
    return found


def parsed(value):
    """JSON as a column gave it; not to be changed, since the next row of the same text is given the same."""
    return _loads(value) if isinstance(value, str) else value


_loads = lru_cache(maxsize=4096)(json.loads)
