"""What each cluster says of its unallocated cost, dated: what was said first holds from the beginning, what follows from when it was said."""

from datetime import datetime

from finops.accounting.distribution import Policies
from finops.configuration.specs import ClusterSpec, NodePoolSpec
from finops.models import Cluster, UnallocatedPolicy


def said(cluster: Cluster) -> list[Policies]:
    """All a cluster ever said, in the order it was said."""
    rows = UnallocatedPolicy.objects.filter(cluster=cluster).order_by("id")
    return [Policies(row.policy, tuple((glob, policy) for glob, policy in row.node_pools), row.start) for row in rows]


def written(cluster: Cluster) -> tuple[str | None, tuple[NodePoolSpec, ...] | None]:
    """The policy and the node pools' policies as the configuration file has them; None where nothing was ever said."""
    if not (before := said(cluster)):
        return None, None
    return before[-1].policy, tuple(NodePoolSpec(*pool) for pool in before[-1].node_pools) or None


def change(cluster: Cluster, spec: ClusterSpec, *, now: datetime) -> tuple[Policies, Policies] | None:
    """Takes down what the file says; returns what it was and what it is where that is something else. No word is `keep`."""
    before = said(cluster)
    wanted = Policies(spec.unallocated_policy or "keep", tuple((pool.name, pool.unallocated_policy) for pool in spec.node_pools or ()))
    if not before and spec.unallocated_policy is None and not spec.node_pools:
        return None
    last = before[-1] if before else Policies()
    same = (last.policy, last.node_pools) == (wanted.policy, wanted.node_pools)
    if not before or not same:
        UnallocatedPolicy.objects.create(
            cluster=cluster, policy=wanted.policy, node_pools=[list(pool) for pool in wanted.node_pools], start=now if before else None
        )
    return None if same else (last, wanted)


def shown(policies: Policies) -> str:
    """In one line: the policy, then the node pools that have one of their own."""
    return ", ".join([policies.policy, *(f"{glob}: {policy}" for glob, policy in policies.node_pools)])
