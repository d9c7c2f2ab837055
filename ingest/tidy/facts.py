"""One hour of answers as rows to store: a pure function of the answers, whichever way the hour was asked for."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf

from finops.accounting.gpu_resources import DEFAULT, Resources, measurable
from finops.accounting.ownership import sanitised
from finops.findings import Finding
from ingest.catalogue import TOP
from ingest.sources import Samples
from ingest.tidy import window_findings
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, devices
from ingest.tidy.energy import energy
from ingest.tidy.label_runs import at, cuts
from ingest.tidy.nodes import Node, nodes
from ingest.tidy.pods import Pod, pods
from ingest.tidy.quotas import quotas
from ingest.tidy.seats import seated, taken_from
from ingest.tidy.use import QUARTER, Use, use
from ingest.tidy.window_findings import Seen

NODE_COLUMNS = (
    "hour node node_uid created first_seen last_seen half_interval capacity unit_shares models boards node_pool instance_type capacity_type "
    "cpus memory_bytes withheld"
).split()
POD_COLUMNS = (
    "hour uid resource namespace pod node quantity first_held last_held half_interval scheduled accepted started "
    "ended completed taken job_kind job run user_name queue label_runs namespace_label_runs gpu_models"
).split()
USE_COLUMNS = (
    "quarter uuid gpu_instance uid resource node gpu_model share held_seconds measured_seconds busy_seconds samples "
    "rejected busy_histogram memory_max_mib sm_active energy_joules temperature_max xid_changes source inferred "
    "after_since after_seconds after_busy_seconds"
).split()
BOARD_COLUMNS = "quarter uuid node gpu_model energy_joules unheld_joules".split()
QUOTA_COLUMNS = "hour namespace resource units namespace_labels".split()
QUEUES = ("kueue_x_k8s_io_queue_name", "kueue_x_k8s_io_local_queue_name", "volcano_sh_queue_name", "yunikorn_apache_org_queue")
NODES = ("node_info", "node_labels", "node_created")  # whose series name nodes


@dataclass(frozen=True, slots=True)
class Facts:
    """Rows of node_hour, pod_hour, use_quarter, board_quarter and quota_hour, in their tables' column order, cluster left out."""

    start: datetime
    end: datetime
    nodes: list[list[object]]
    pods: list[list[object]]
    uses: list[list[object]]
    coverage: float | None
    boards: list[list[object]] = field(default_factory=list)
    quotas: list[list[object]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def fingerprint(self) -> str:
        """Equal where every row is equal, and every finding."""
        rows = (self.nodes, self.pods, self.uses, self.boards, *filter(None, [self.quotas, self.findings]))  # without them as before there were any
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:32]


def facts(
    answers: Answers, *, until: float = inf, pool_label: str = "", user_label: str = "", configured: float | None = None,
    resources: Resources = DEFAULT,
) -> Facts:  # fmt: skip
    """The facts of [answers.start, answers.end); use is told up to `until` only, unix seconds, where the hour still runs.

    `resources`: those that count as GPUs beside NVIDIA's own.
    """
    found = pods(answers, configured=configured)
    cards = devices(answers, {(p.namespace, p.name) for p in found}, placeable(answers), configured=configured)
    machines = nodes(answers, cards, pool_label=pool_label, configured=configured, resources=resources)
    seats = seated(found, machines, cards)
    uses, taken = use(seats, start=answers.start, end=min(answers.end, until)), taken_from(seats)
    hour = _instant(answers.start)
    extras = _extras(answers)
    joules, boards = energy(uses, cards, machines, _watts(extras))
    models = _models(uses) | _by_maker(found, machines, {u.pod.uid for u in uses})
    held, measured = sum(u.held_seconds for u in uses), sum(u.measured_seconds for u in uses)
    return Facts(
        hour,
        _instant(answers.end),
        [_node(hour, n) for n in machines],
        [_pod(hour, p, user_label, models.get((p.uid, p.resource), {}), taken.get((p.uid, p.resource))) for p in found],
        [_use(u, extras, j) for u, j in zip(uses, joules, strict=True)],
        min(1.0, measured / held) if held else None,
        [[_instant(b.quarter), b.uuid, b.node, b.model, b.joules, b.unheld] for b in boards],
        [[hour, q.namespace, q.resource, q.units, q.labels] for q in quotas(answers, configured=configured)],
        window_findings.findings(Seen(answers, found, machines, cards, uses, min(answers.end, until))),
    )


def placeable(answers: Answers) -> set[str]:
    """Nodes that may carry boards: those with GPU capacity, and others that a short host name cannot confuse with them."""
    found: dict[str, set[str]] = {key: {labels["node"] for labels, *_ in answers.columns(key) if labels.get("node")} for key in ("capacity", *NODES)}
    short = {name.split(".")[0] for name in found["capacity"]}
    return found["capacity"] | {name for key in NODES for name in found[key] if name.split(".")[0] not in short}


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
        n.cpus,
        n.memory,
        n.withheld,
    ]


def _models(uses: Sequence[Use]) -> dict[tuple[str, str], dict[str, float]]:
    """GPUs of each model that a lease's devices were in the hour."""
    seats = {(u.pod.uid, u.pod.resource, u.device.uuid, u.device.instance): (u.device.model, u.share) for u in uses}
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (uid, resource, *_), (model, share) in sorted(seats.items()):
        found[uid, resource][model] = found[uid, resource].get(model, 0.0) + share
    return found


def _by_maker(found: Sequence[Pod], machines: Sequence[Node], seen: set[str]) -> dict[tuple[str, str], dict[str, float]]:
    """GPUs of each model of leases that no device tells of, on nodes with GPUs of several makers: a resource is its maker's."""
    models: dict[tuple[str, str], dict[str, float]] = {}
    mixed = {n.name: n for n in machines if n.model_of and n.models.keys() - set(n.model_of.values())}
    for p in found:
        if (n := mixed.get(p.node)) and p.uid not in seen:
            gpus = float(p.quantity * n.unit_shares.get(p.resource, 1))
            ours = {model: boards for model, boards in n.models.items() if model not in n.model_of.values()}
            if theirs := n.model_of.get(p.resource):
                models[p.uid, p.resource] = {theirs: gpus}
            elif p.resource in n.unit_shares and measurable(p.resource):
                models[p.uid, p.resource] = {model: gpus * boards / sum(ours.values()) for model, boards in ours.items()}
    return models


def _label_runs(p: Pod, user_label: str) -> list[dict[str, object]]:
    """What a pod's labels and annotations said, and whose and which queue's it was by them, from when."""
    runs: list[dict[str, object]] = []
    for since in cuts(p.labels, p.annotations):
        labels = at(p.labels, since)
        user = labels.get(sanitised(user_label), "") if user_label else ""
        queue = next((labels[q] for q in QUEUES if labels.get(q)), "")
        runs.append({"since": since, "labels": dict(labels), "annotations": dict(at(p.annotations, since)), "user": user, "queue": queue})
    return runs


def _pod(hour: datetime, p: Pod, user_label: str, models: dict[str, float], taken: float | None) -> list[object]:
    s, w, runs = p.seen, p.workload, _label_runs(p, user_label)
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
        taken,
        w.kind,
        w.name,
        w.run,
        runs[-1]["user"],
        runs[-1]["queue"],
        runs,
        [{"since": since, "labels": dict(at(p.namespace_labels, since))} for since in cuts(p.namespace_labels)],
        models,
    ]


def _extras(answers: Answers) -> dict[tuple[str, str, str], dict[float, float]]:
    """Highest value in range by (query, uuid, instance) and quarter's end; nothing where a single stray sample spoiled a mean."""
    found: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
    for key, top in TOP.items():
        spoiled = {(board, time) for board, time, _ in _cells(answers.samples(f"{key}_stray"))}
        for board, time, value in _cells(answers.samples(key)):
            if 0 <= value <= top and (board, time) not in spoiled:
                cell = found[key, *board]
                cell[time] = max(cell.get(time, 0.0), value)
    return found


def _cells(got: Samples) -> Iterator[tuple[tuple[str, str], float, float]]:
    """((uuid, instance), quarter's end, value) of every sample."""
    devices = [(labels.get("UUID") or labels.get("uuid", ""), labels.get("GPU_I_ID", "")) for labels in got.labels]
    for index, time, value in zip(got.series.tolist(), got.time.tolist(), got.value.tolist(), strict=True):
        yield devices[index], time, value


def _watts(extras: Mapping[tuple[str, str, str], Mapping[float, float]]) -> dict[tuple[str, float], float]:
    """Mean power by board and quarter: a MIG instance's series repeats its board's."""
    found: dict[tuple[str, float], float] = {}
    for (key, uuid, _), cells in extras.items():
        if key == "power":
            for end, watts in cells.items():
                found[uuid, end - QUARTER] = max(found.get((uuid, end - QUARTER), 0.0), watts)
    return found


def _array(numbers: list[int]) -> str:
    """A PostgreSQL array, ready to be copied."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _use(u: Use, extras: dict, joules: float | None) -> list[object]:
    device: Device = u.device

    def extra(key: str) -> float | None:
        return extras.get((key, device.uuid, device.instance), {}).get(u.quarter + QUARTER)

    xid = extra("xid")
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
        joules,
        extra("temperature"),
        None if xid is None else int(xid),
        device.source + ("+frozen" if device.frozen else "") + ("+estimated" if u.estimated else ""),
        u.inferred,
        *((u.after.since, u.after.seconds, u.after.busy_seconds) if u.after else (None, None, None)),
    ]
