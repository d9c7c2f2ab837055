"""The stored facts behind a job's lines: leases, what labels said over time, nodes' shares, devices."""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction

from django.db import connection

from finops.accounting.leases import Lease, Sightings, lease
from finops.accounting.placement import Want, placement
from finops.facts import About, Said


@dataclass(frozen=True, slots=True)
class Hold:
    """A lease as stored; `models`: per hour (unix seconds) the GPUs of each model that its devices were, on a node of several."""

    uid: str
    resource: str
    node: str
    quantity: int
    seen: Sightings
    lease: Lease
    models: dict[int, dict[str, float]] = field(default_factory=dict)

    def seen_in(self, hour: int) -> Mapping[str, float]:
        """What its devices were in that hour, else in its others."""
        if hour in self.models:
            return self.models[hour]
        whole: dict[str, float] = defaultdict(float)
        for models in self.models.values():
            for model, gpus in models.items():
                whole[model] += gpus
        return whole


@dataclass(slots=True)
class Inputs:
    """By uid; `nodes`: per node its hours (unix seconds, rising) with the GPUs a unit of each resource is and its boards by model."""

    holds: dict[str, list[Hold]] = field(default_factory=lambda: defaultdict(list))
    pods: dict[str, About] = field(default_factory=dict)
    nodes: dict[str, list[tuple[int, dict[str, str], dict[str, int]]]] = field(default_factory=lambda: defaultdict(list))
    known_until: float = 0.0

    def gpus(self, hold: Hold, model: str, *, at: int) -> Fraction:
        """What the hold is of `model` in the hour that begins at `at`, as the accounting places it."""
        whole, (_, models) = self.whole(hold, at=at), self._node(hold.node, at)
        if len(models) < 2:
            return whole
        want = Want("", whole, int(hold.lease.start), int(hold.lease.end), hold.seen_in(at))
        return whole * placement([want], models)[0][""].get(model, Fraction(0))

    def whole(self, hold: Hold, *, at: int) -> Fraction:
        """What the hold is in GPUs of any model."""
        return Fraction(self._node(hold.node, at)[0].get(hold.resource, "1")) * hold.quantity

    def _node(self, name: str, at: int) -> tuple[dict[str, str], dict[str, int]]:
        """As the node was in that hour, else in the last one before it, else in the first after."""
        told = self.nodes.get(name)
        if not told:
            return {}, {}
        _, shares, models = told[max(0, bisect_right(told, at, key=lambda entry: entry[0]) - 1)]
        return shares, models


def inputs(cluster: str, uids: Collection[str]) -> Inputs:
    """Of these pods of the cluster."""
    found, asked = Inputs(), {"cluster": cluster, "uids": sorted(uids)}
    with connection.cursor() as cursor:
        cursor.execute(
            "select id, (select extract(epoch from max(collected_until)) from collection_window w where w.cluster_id = c.id) from finops_cluster c where name = %(cluster)s",
            asked,
        )
        asked["id"], found.known_until = cursor.fetchone()
        _pods(cursor, asked, found)
        _holds(cursor, asked, found)
        _nodes(cursor, asked, found)
        _models(cursor, asked, found)
    return found


def _holds(cursor, asked: dict, found: Inputs) -> None:
    cursor.execute(
        """select uid, resource, node, quantity, first_held, last_held, half_interval, scheduled, accepted, started, ended, completed, taken
           from lease where cluster_id = %(id)s and uid = any(%(uids)s) order by uid, resource""",
        asked,
    )
    for uid, resource, node, quantity, *seen in cursor.fetchall():
        if span := lease(Sightings(*seen)):
            found.holds[uid].append(Hold(uid, resource, node, quantity, Sightings(*seen), span))


def _models(cursor, asked: dict, found: Inputs) -> None:
    """What the devices of leases were, where their nodes have boards of several models."""
    several = sorted(node for node, told in found.nodes.items() if any(len(models) > 1 for _, _, models in told))
    cursor.execute(
        """select uid, resource, extract(epoch from hour)::bigint, model, gpus::double precision
           from pod_hour, jsonb_each_text(gpu_models) as m (model, gpus)
           where cluster_id = %(id)s and uid = any(%(uids)s) and node = any(%(nodes)s) order by 1, 2, 3, 4""",
        asked | {"nodes": several},
    )
    for uid, resource, hour, model, gpus in cursor.fetchall():
        for hold in found.holds[uid]:
            if hold.resource == resource:
                hold.models.setdefault(hour, {})[model] = gpus


def _pods(cursor, asked: dict, found: Inputs) -> None:
    """What labels said, hour after hour; hours that say what the one before them did are left out."""
    cursor.execute(
        """select uid, namespace, pod, job_kind, job, run, hour, label_runs::text, namespace_label_runs::text from (
             select *, lag((label_runs, namespace_label_runs)) over (partition by uid, resource order by hour) as before,
               rank() over (partition by uid order by resource) as nth
             from pod_hour where cluster_id = %(id)s and uid = any(%(uids)s)) p
           where nth = 1 and (label_runs, namespace_label_runs) is distinct from before order by uid, hour""",
        asked,
    )
    for uid, namespace, pod, kind, job, run, hour, own, space in cursor.fetchall():
        about = found.pods.setdefault(uid, About(uid, namespace, pod, kind, job, run, [], []))
        for into, told in ((about.own, own), (about.space, space)):
            _add(into, json.loads(told), hour)


def _add(into: list[Said], runs: list[dict], hour: datetime) -> None:
    for run in runs:
        said = Said(**run)
        if into and said.since is None:
            said = replace(said, since=hour.timestamp())
        if not into or replace(said, since=into[-1].since) != into[-1]:
            into.append(said)


def _nodes(cursor, asked: dict, found: Inputs) -> None:
    names = sorted({hold.node for holds in found.holds.values() for hold in holds})
    cursor.execute(
        """select node, extract(epoch from hour)::bigint, unit_shares::text, models::text from (
             select *, lag((unit_shares, models)) over (partition by node order by hour, first_seen) as before
             from node_hour where cluster_id = %(id)s and node = any(%(nodes)s)) n
           where (unit_shares, models) is distinct from before order by node, hour, first_seen""",
        asked | {"nodes": names},
    )
    for node, hour, shares, models in cursor.fetchall():
        found.nodes[node].append((hour, json.loads(shares), json.loads(models)))
