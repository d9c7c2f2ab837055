"""One hour of answers as rows to store: a pure function of the answers, whichever way the hour was asked for."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

from finops.accounting.ownership import sanitised
from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, devices
from ingest.tidy.nodes import Node, nodes
from ingest.tidy.pods import Pod, pods
from ingest.tidy.use import Use, use

NODE_COLUMNS = (
    "hour node node_uid created first_seen last_seen half_interval capacity unit_shares models boards node_pool instance_type capacity_type"
).split()
POD_COLUMNS = (
    "hour uid resource namespace pod node quantity first_held last_held half_interval scheduled accepted started "
    "ended completed job_kind job run user_name queue label_runs namespace_label_runs"
).split()
USE_COLUMNS = (
    "quarter uuid gpu_instance uid resource node gpu_model share held_seconds measured_seconds busy_seconds samples "
    "rejected busy_histogram memory_max_mib sm_active energy_joules temperature_max xid_changes source inferred"
).split()
QUEUES = ("kueue_x_k8s_io_queue_name", "kueue_x_k8s_io_local_queue_name", "volcano_sh_queue_name", "yunikorn_apache_org_queue")
# Beyond these a value is a blank marker or nonsense, not a measurement.
TOP = {"memory": 4_194_304.0, "temperature": 200.0, "power": 5_000.0, "sm_active": 1.05, "xid": 1_000.0}


@dataclass(frozen=True, slots=True)
class Facts:
    """Rows of node_hour, pod_hour and use_quarter, in their tables' column order, cluster left out."""

    start: datetime
    end: datetime
    nodes: list[list[object]]
    pods: list[list[object]]
    uses: list[list[object]]
    coverage: float | None

    def fingerprint(self) -> str:
        """Equal where every row is equal."""
        return hashlib.sha256(repr((self.nodes, self.pods, self.uses)).encode()).hexdigest()[:32]


def facts(answers: Answers, *, pool_label: str = "", user_label: str = "", configured: float | None = None) -> Facts:
    """The facts of [answers.start, answers.end)."""
    found = pods(answers, configured=configured)
    names = {labels.get("node", "") for labels in answers.samples("capacity").labels}
    cards = devices(answers, {(p.namespace, p.name) for p in found}, names, configured=configured)
    machines = nodes(answers, cards, pool_label=pool_label, configured=configured)
    uses = use(found, machines, cards, start=answers.start, end=answers.end)
    hour = _instant(answers.start)
    extras = _extras(answers)
    held, measured = sum(u.held_seconds for u in uses), sum(u.measured_seconds for u in uses)
    return Facts(
        hour,
        _instant(answers.end),
        [_node(hour, n) for n in machines],
        [_pod(hour, p, user_label) for p in found],
        [_use(u, extras) for u in uses],
        min(1.0, measured / held) if held else None,
    )


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _node(hour: datetime, n: Node) -> list[object]:
    return [
        hour,
        n.name,
        n.uid,
        n.created,
        n.first_seen,
        n.last_seen,
        n.half_interval,
        n.capacity,
        {r: str(s) for r, s in n.unit_shares.items()},
        n.models,
        n.boards,
        n.pool,
        n.instance_type,
        n.capacity_type,
    ]


def _pod(hour: datetime, p: Pod, user_label: str) -> list[object]:
    s, w = p.seen, p.workload
    queue = next((p.labels[q] for q in QUEUES if p.labels.get(q)), "")
    user = p.labels.get(sanitised(user_label), "") if user_label else ""
    return [
        hour,
        p.uid,
        p.resource,
        p.namespace,
        p.name,
        p.node,
        p.quantity,
        s.first_held,
        s.last_held,
        s.half_interval,
        s.scheduled,
        s.accepted,
        s.started,
        s.ended,
        s.completed,
        w.kind,
        w.name,
        w.run,
        user,
        queue,
        {"labels": p.labels, "annotations": p.annotations},
        {"labels": p.namespace_labels},
    ]


def _extras(answers: Answers) -> dict[tuple[str, str, str], dict[float, float]]:
    """Highest value in range by (query, uuid, instance) and quarter's end."""
    found: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
    for key, top in TOP.items():
        got: Samples = answers.samples(key)
        for index, time, value in zip(got.series.tolist(), got.time.tolist(), got.value.tolist(), strict=True):
            labels = got.labels[index]
            if 0 <= value <= top:
                cell = found[key, labels.get("UUID") or labels.get("uuid", ""), labels.get("GPU_I_ID", "")]
                cell[time] = max(cell.get(time, 0.0), value)
    return found


def _array(numbers: list[int]) -> str:
    """A PostgreSQL array, ready to be copied."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _use(u: Use, extras: dict) -> list[object]:
    device: Device = u.device

    def extra(key: str) -> float | None:
        return extras.get((key, device.uuid, device.instance), {}).get(u.quarter + 900)

    power, xid = extra("power"), extra("xid")
    energy = power * u.held_seconds * min(u.share, 1.0) if power is not None else None
    return [
        _instant(u.quarter),
        device.uuid,
        device.instance,
        u.pod.uid,
        u.pod.resource,
        device.node,
        device.model,
        u.share,
        u.held_seconds,
        u.measured_seconds,
        u.busy_seconds,
        u.samples,
        u.rejected,
        _array(u.histogram),
        extra("memory"),
        extra("sm_active"),
        energy,
        extra("temperature"),
        None if xid is None else int(xid),
        device.source + ("+frozen" if device.frozen else ""),
        u.inferred,
    ]
