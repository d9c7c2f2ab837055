"""What Kueue (0.18) and Karpenter (1.14) print: quotas, what waits for them, node pools, and nodes that come and go."""

from collections.abc import Iterator, Sequence

import numpy as np

from ingest.simulator.company import TEAMS
from ingest.simulator.curves import Floats
from ingest.simulator.fleet import POOLS, Node, passing, taken_back
from ingest.simulator.pods import Pod
from ingest.simulator.series import Track, named
from ingest.simulator.weeks import Week, week_of

GPU = "nvidia.com/gpu"
SPOT_QUOTA = {"fraud": 4, "scoring": 4}
LIMITS = {"v100-spot": 8, "a100-mig": 4, "t4-inf": 12}  # v100-od has none: that is how a Thursday became expensive
COUNTED_FROM = 2900  # the week whose Monday is 28 July 2025: counters start there


def kueue(pods: Sequence[Pod], nodes: Sequence[Node], time: Floats) -> Iterator[Track]:
    """Cluster queues by flavor, and their pending and admitted workloads, at times [n]."""
    pools = {node.name: node.pool for node in nodes}
    for team in TEAMS:
        quotas = {"v100-od": team.quota, "v100-spot": SPOT_QUOTA.get(team.name, 0)}
        mine = [pod for pod in pods if pod.job.queue == team.name]
        for flavor, quota in quotas.items():
            if quota:
                labels = {"cluster_queue": team.name, "cohort": "", "flavor": flavor, "replica_role": "leader", "resource": GPU}
                used = _held([pod for pod in mine if pools.get(pod.node) == flavor], time)
                yield Track(named("kueue_cluster_queue_nominal_quota", labels), time, np.full(len(time), float(quota)))
                yield Track(named("kueue_cluster_queue_resource_reservation", labels), time, used)
                yield Track(named("kueue_cluster_queue_resource_usage", labels), time, used)
        if team.quota:
            yield from _workloads(team.name, mine, time)


def _workloads(queue: str, pods: Sequence[Pod], time: Floats) -> Iterator[Track]:
    waiting, waiting_gpus, running = np.zeros(len(time)), np.zeros(len(time)), np.zeros(len(time))
    for pod in pods:
        waits = (time >= pod.created) & (time < (pod.ended if pod.bound is None else pod.bound))
        if pod.gated:
            waiting += waits
            waiting_gpus += waits * len(pod.cards)
        if pod.bound is not None and (pod.job.kind != "PyTorchJob" or pod.name.endswith("master-0")):
            running += (time >= pod.bound) & (time < pod.ended)
    role = {"cluster_queue": queue, "replica_role": "leader"}
    yield Track(named("kueue_pending_workloads", role | {"status": "active"}), time, waiting)
    yield Track(named("kueue_pending_workloads", role | {"status": "inadmissible"}), time, np.zeros(len(time)))
    yield Track(named("kueue_cluster_queue_resource_pending", role | {"resource": GPU}), time, waiting_gpus)
    yield Track(named("kueue_admitted_active_workloads", role), time, running)


def _held(pods: Sequence[Pod], time: Floats) -> Floats:
    total = np.zeros(len(time))
    for pod in pods:
        total += len(pod.cards) * ((time >= (pod.bound or 0)) & (time < pod.ended))
    return total


def karpenter(nodes: Sequence[Node], time: Floats, *, seed: int) -> Iterator[Track]:
    """Node pools' use and limits, nodes created and terminated, messages about spot nodes taken back, at times [n]."""
    for pool in POOLS:
        there = np.zeros(len(time))
        for node in nodes:
            there += (node.pool == pool) & (time >= node.joined) & (time < node.left)
        for resource, each in ((GPU, 4), ("nodes", 1), ("cpu", 48)):
            yield Track(named("karpenter_nodepools_usage", {"nodepool": pool, "resource_type": resource}), time, there * each)
        if pool in LIMITS:
            limit = {"nodepool": pool, "resource_type": GPU}
            yield Track(named("karpenter_nodepools_limit", limit), time, np.full(len(time), float(LIMITS[pool])))
    yield from _counters(time, seed=seed)


def _counters(time: Floats, *, seed: int) -> Iterator[Track]:
    if not len(time):
        return
    week = week_of(float(time[0]), seed=seed)
    recent = [Week(week.index + n, seed) for n in (-1, 0, 1)]
    for pool in ("v100-od", "v100-spot"):
        lives = [node for each in recent for node in passing(each) if node.pool == pool]
        born, dead = np.sort([node.joined for node in lives]), np.sort([node.left for node in lives])
        before = _until(week.index - 1, pool, seed)
        zone = {"nodepool": pool, "zone": "zrh-1"}
        yield Track(named("karpenter_nodes_created_total", zone), time, before + np.searchsorted(born, time, side="right").astype(float))
        yield Track(named("karpenter_nodes_terminated_total", zone), time, before + np.searchsorted(dead, time, side="right").astype(float))
    taken = np.sort([taken_back(each) for each in recent])
    lost = week.index - 1 - COUNTED_FROM + np.searchsorted(taken, time, side="right").astype(float)
    yield Track(named("karpenter_interruption_received_messages_total", {"message_type": "spot_interrupted"}), time, lost)
    why = {"nodepool": "v100-spot", "reason": "spot_interrupted", "capacity_type": "spot"}
    yield Track(named("karpenter_nodeclaims_disrupted_total", why), time, lost)


def _until(index: int, pool: str, seed: int) -> int:
    """Nodes of the pool that joined from the first counted week until the week of that index: seven spot nodes a week."""
    weeks = range(COUNTED_FROM, index)
    return 7 * len(weeks) if pool == "v100-spot" else 8 * sum(Week(n, seed).position == 0 for n in weeks)
