"""An hour's unallocated cost among those who are to bear it, as its cluster's policies say."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from django.db import connection

from finops import ledger
from finops.accounting.distribution import KEEP, Pool, distribution
from finops.accounting.ownership import UNALLOCATED
from finops.book import Book
from finops.facts import Node

Place = tuple[UUID, int, Decimal | None]  # of a line among those of its hour
Kept = dict[str, tuple[str, Decimal]]  # by node pool: the policy that found nobody to bear the cost, and that cost


@dataclass(frozen=True, slots=True)
class Quota:
    """`units` of `resource` are what the pods of a namespace may hold at most; `labels` are the namespace's."""

    namespace: str
    resource: str
    units: int
    labels: Mapping[str, str]


def distribute(made: ledger.Made, book: Book, nodes: Sequence[Node], *, at: int) -> Kept:
    """Moves cost between the hour's lines. The policies, rules and labels of its beginning, `at`, hold for the whole of it."""
    if not book.policies:
        return {}
    said, pools = book.policies_at(at), _by_pool(made)
    wanted = {pool: policy for pool in sorted(pools) if (policy := said.of(pool)) != KEEP}
    quotas = _quotas(book.cluster.id, at) if "quota" in wanted.values() else []
    kept: Kept = {}
    for pool, policy in wanted.items():
        free, held = _shares(made, pools[pool])
        quota = _quota(book, quotas, [node for node in nodes if node.pool == pool], at) if quotas else {}
        moved = distribution(Pool(free, held, quota, book.owner(pool, at=at)), policy)
        for place, amount in moved.given.items():
            made.give(place, amount)
        for team, amount in moved.taken.items():
            made.take(book.bearer(team, pool), at, amount)
        if free and not moved.taken:
            kept[pool] = policy, sum(free.values(), Decimal(0))
    return kept


def _by_pool(made: ledger.Made) -> Mapping[str, list[Place]]:
    found: dict[str, list[Place]] = defaultdict(list)
    for place in made.rows:
        found[str(made.holdings[place[0]]["node_pool"])].append(place)
    return found


def _shares(made: ledger.Made, places: Sequence[Place]) -> tuple[dict[Place, Decimal], dict[str, Decimal]]:
    """Unallocated cost by line, where there is any and it has a price; GPU-hours by team."""
    free: dict[Place, Decimal] = {}
    held: dict[str, Decimal] = defaultdict(Decimal)
    for place in places:
        team = str(made.holdings[place[0]]["team"])
        if team != UNALLOCATED:
            held[team] += made.figure(place, "allocated") or 0
        elif cost := made.figure(place, "unallocated_cost"):
            free[place] = cost
    return free, held


def _quotas(cluster: int, at: int) -> list[Quota]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select namespace, resource, units, namespace_labels::text from quota_hour where cluster_id = %s and hour = %s order by 1, 2",
            [cluster, datetime.fromtimestamp(at, UTC)],
        )
        return [Quota(namespace, resource, units, json.loads(labels)) for namespace, resource, units, labels in cursor.fetchall()]


def _quota(book: Book, quotas: Sequence[Quota], nodes: Sequence[Node], at: int) -> dict[str, Fraction]:
    """GPUs of the nodes' kind that each team's namespaces may hold."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    sizes = _sizes(nodes)
    for quota in quotas:
        if quota.resource in sizes:
            found[book.team_of(quota.namespace, quota.labels, nodes[0].pool, at=at)] += quota.units * sizes[quota.resource]
    return found


def _sizes(nodes: Sequence[Node]) -> dict[str, Fraction]:
    """What a unit of each resource is of a GPU, as the mean of the nodes' units."""
    units: dict[str, int] = defaultdict(int)
    gpus: dict[str, Fraction] = defaultdict(Fraction)
    for node in nodes:
        for resource, capacity in node.capacity.items():
            units[resource] += capacity
            gpus[resource] += capacity * node.unit_share(resource)
    return {resource: gpus[resource] / count for resource, count in units.items() if count}
