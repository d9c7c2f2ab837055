"""What is doubtful about an hour's answers themselves, whatever the ledger makes of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from finops.accounting.leases import Lease
from finops.accounting.shares import MIG_RESOURCE
from finops.findings import Finding, Part
from ingest.tidy import copies
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, at_once
from ingest.tidy.label_runs import named
from ingest.tidy.machines import together
from ingest.tidy.nodes import Node
from ingest.tidy.own_labels import RENAMED
from ingest.tidy.pods import Pod
from ingest.tidy.presence import counted
from ingest.tidy.use import QUARTER, Use

RAN = 300.0  # seconds a pod must have run within the hour before silence about it says anything
SKEW = 5.0  # seconds by which a time may lie beyond the sample that shows it
EVERY_NODE = "every node"
MEASURED = ("nvidia_com", "k8s_amazonaws_com")  # resources whose GPUs dcgm-exporter measures


@dataclass(frozen=True)
class Seen:
    """All that one hour's facts are made of, up to `end` (unix seconds)."""

    answers: Answers
    pods: Sequence[Pod]
    nodes: Sequence[Node]
    devices: Sequence[Device]
    uses: Sequence[Use]
    end: float

    @cached_property
    def held(self) -> dict[str, list[tuple[Pod, Lease]]]:
        """The leases that ran RAN seconds of the hour, by node."""
        found: dict[str, list[tuple[Pod, Lease]]] = defaultdict(list)
        for pod in self.pods:
            if pod.lease and min(pod.lease.end, self.end) - max(pod.lease.started, self.answers.start) >= RAN:
                found[pod.node].append((pod, pod.lease))
        return found

    @cached_property
    def heard(self) -> list[tuple[Node, list[tuple[float, int]]]]:
        """Of each node how many boards were heard of in each whole quarter of the hour."""
        boards: dict[str, dict[str, list[Device]]] = defaultdict(lambda: defaultdict(list))
        for device in self.devices:
            boards[device.node][device.uuid].append(device)
        return [(node, _by_quarter(boards.get(node.name, {}), node, self)) for node in self.nodes]


def findings(seen: Seen) -> list[Finding]:
    """The window's findings, one per kind and subject, in a fixed order."""
    found = {(finding.kind, finding.subject): finding for rule in RULES for finding in rule(seen)}
    return [found[key] for key in sorted(found)]


def _doubled_kube_state_metrics(seen: Seen) -> Iterator[Finding]:
    found = copies.of_kube_state_metrics(seen.answers)
    if found.labels:
        text = f"{len(found.labels)} series of kube-state-metrics have copies at the same time, which differ in {_names(found.differ)}"
        yield _about("doubled_kube_state_metrics", "kube-state-metrics", text, (_on(row.get("node", "") for row in found.labels),))


def _doubled_exporters(seen: Seen) -> Iterator[Finding]:
    found = copies.of_exporters(seen.answers)
    if found.labels:
        twice = {row.get("UUID") or row.get("uuid", "") for row in found.labels}
        text = f"{len(twice)} boards are scraped more than once, by series that differ in {_names(found.differ)}"
        where = _on(device.node for device in seen.devices if device.uuid in twice)
        yield _about("doubled_exporters", "dcgm-exporter", text, (where,))


def _honor_labels(seen: Seen) -> Iterator[Finding]:
    renamed = seen.answers.samples(RENAMED).labels
    if renamed:
        own = {f"{row.get('namespace', '')}/{row.get('pod', '')}" for row in renamed}
        text = f"series of {len(renamed)} requests bear {_names(own)}, kube-state-metrics' own pod"
        yield _about("honor_labels", "kube-state-metrics", text, (_on(row.get("node") or row.get("exported_node", "") for row in renamed),))


def _ownerless_pods(seen: Seen) -> Iterator[Finding]:
    """No pod that holds GPUs has an owner on record, not even that it has none."""
    pods = [pod for held in seen.held.values() for pod, _ in held]
    if pods and not seen.answers.samples("pod_owner").labels:
        text = f"no kube_pod_owner tells what the {len(pods)} pods that hold GPUs belong to"
        yield _about("ownerless_pods", "kube_pod_owner", text, (_held_by(pods),))


def _unnamed_devices(seen: Seen) -> Iterator[Finding]:
    """Nodes whose devices are measured and name no pod, though pods hold GPUs there; one finding where every node is so."""
    held = {node: [pod for pod, _ in pods] for node, pods in seen.held.items()}
    told = {device.node: False for device in seen.devices if len(device.time)}
    for device in seen.devices:
        told[device.node] = told.get(device.node, False) or bool(device.named)
    mute = sorted(node for node in held if told.get(node) is False)
    if len(mute) > 1 and not any(told.get(node) for node in held):
        text = f"device series name none of the pods that hold GPUs, on any of {len(mute)} nodes"
        yield _about("unnamed_devices", EVERY_NODE, text, (_held_by([pod for node in mute for pod in held[node]]),))
        return
    for node in mute:
        text = f"device series of {node} name none of the {len(held[node])} pods that hold GPUs there"
        yield _about("unnamed_devices", node, text, (_held_by(held[node]),), node=node)


def _silent_exporter(seen: Seen) -> Iterator[Finding]:
    """Nodes of which nothing was heard in a quarter of the hour that pods ran in; one finding where nothing was of any node at all."""
    mute: dict[str, tuple[int, list[Pod]]] = {}
    for node, quarters in seen.heard:
        here = [(pod, lease) for pod, lease in seen.held.get(node.name, []) if pod.resource.startswith(MEASURED)]
        silent = [q for q, boards in quarters if not boards]
        ran = [q for q in silent if any(min(lease.end, q + QUARTER) - max(lease.started, q) >= RAN for _, lease in here)]
        if ran:
            mute[node.name] = len(ran), [pod for pod, _ in here]
    if len(mute) > 1 and not any(_heard(device, seen) for device in seen.devices):
        text = f"no exporter tells anything of the GPUs of {len(mute)} nodes that pods ran on"
        yield _about("silent_exporter", EVERY_NODE, text, (_held_by([pod for _, pods in mute.values() for pod in pods], "unmeasured"),))
        return
    for name, (many, pods) in sorted(mute.items()):
        text = f"no exporter told anything of the GPUs of {name} for {many * 15} minutes that pods ran on it"
        yield _about("silent_exporter", name, text, (_held_by(pods, "unmeasured"),), node=name, minutes=many * 15)


def _vanished_boards(seen: Seen) -> Iterator[Finding]:
    """Fewer boards than the node has were seen in a quarter of the hour in which others of it were."""
    labels = together(seen.answers, "node_labels")
    for node, quarters in seen.heard:
        counts = [boards for _, boards in quarters if boards]
        fewest = min(counts, default=node.boards)
        if (gone := node.boards - fewest) > 0 and _whole(node, counts, labels.get(node.name, {})):
            text = f"{fewest} of {node.boards} boards of {node.name} have series in some quarter of the hour"
            lost = Part({"node": (node.name,)}, ("unallocated",), Fraction(gone, node.boards))
            reach = (Part({"node": (node.name,)}, ("unmeasured",)), lost)
            yield _about("vanished_board", node.name, text, reach, node=node.name, boards=node.boards, seen=fewest)


def _shared_without_measurement(seen: Seen) -> Iterator[Finding]:
    """Boards that several pods were on at a time, whose use no series tells apart."""
    on: dict[tuple[float, str, str], dict[str, Pod]] = defaultdict(dict)
    for use in seen.uses:
        if use.measured_seconds and use.share < 1 and not use.device.instance and not use.device.own:
            on[use.quarter, use.device.node, use.device.uuid][use.pod.uid] = use.pod
    crowded: dict[str, dict[str, Pod]] = defaultdict(dict)
    for (_, node, _), together_there in on.items():
        if at_once((pod.lease.start, pod.lease.end - 1) for pod in together_there.values() if pod.lease) > 1:
            crowded[node] |= together_there
    for node, shared in sorted(crowded.items()):
        pods = list(shared.values())
        text = f"{len(pods)} pods share boards of {node}, whose series tell no pod's use from another's"
        yield _about("shared_without_measurement", node, text, (_held_by(pods, "used", "idle"),), node=node)


def _clock_skew(seen: Seen) -> Iterator[Finding]:
    """Pods seen bound before they were, by their own times: the clock that told those is ahead of the one that scraped."""
    ahead: list[tuple[float, Pod]] = []
    for pod in seen.pods:
        first, bound = pod.seen.first_held, pod.seen.scheduled
        if first is not None and bound is not None and bound - first > SKEW and "/" not in pod.uid:
            ahead.append((bound - first, pod))
    if ahead:
        most, where = max(seconds for seconds, _ in ahead), {pod.node for _, pod in ahead}
        text = f"{len(ahead)} pods were seen on {_names(where)} up to {most:.0f} s before they were bound, by what Kubernetes says"
        yield _about("clock_skew", "kube_pod_status_scheduled_time", text, (_held_by([pod for _, pod in ahead]),), seconds=round(most, 1))


RULES = (
    _doubled_kube_state_metrics, _doubled_exporters, _honor_labels, _ownerless_pods, _unnamed_devices, _silent_exporter,
    _vanished_boards, _shared_without_measurement, _clock_skew,
)  # fmt: skip


def _about(kind: str, subject: str, text: str, reach: tuple[Part, ...], **evidence: object) -> Finding:
    return Finding(kind, subject, text, dict(evidence), (), reach, "collecting")


def _held_by(pods: Sequence[Pod], *buckets: str) -> Part:
    return Part({"lease": tuple(sorted({f"{pod.uid} {pod.resource}" for pod in pods}))}, buckets)


def _on(nodes: Iterator[str]) -> Part:
    """Every line of these nodes; of the whole cluster where none is named."""
    told = tuple(sorted({node for node in nodes if node}))
    return Part({"node": told} if told else {})


def _names(found: set[str]) -> str:
    return ", ".join(sorted(found)[:5]) or "nothing"


def _heard(device: Device, seen: Seen) -> bool:
    return device.seen[0] < seen.end and device.seen[1] >= seen.answers.start


def _by_quarter(there: dict[str, list[Device]], node: Node, seen: Seen) -> list[tuple[float, int]]:
    """How many boards were heard of in each whole quarter of the hour that the node and the answers cover."""
    edges = [q for q in np.arange(seen.answers.start, seen.end - QUARTER + 1, QUARTER).tolist() if node.first_seen <= q + QUARTER / 2 <= node.last_seen]
    return [(q, sum(any(_spoke(device, q) for device in each) for each in there.values())) for q in edges]


def _spoke(device: Device, quarter: float) -> bool:
    """A blank is a word as well: the board is there. Of one that is scraped too seldom, whatever lies about the quarter counts."""
    times = np.concatenate((device.time, device.rejected))
    slack = max(0.0, 2 * device.interval - QUARTER / 2)
    if not len(times):
        return device.seen[0] < quarter + QUARTER and device.seen[1] >= quarter
    return bool(np.any((times >= quarter - slack) & (times < quarter + QUARTER + slack)))


def _whole(node: Node, counts: Sequence[int], labels: dict[str, str]) -> bool:
    """Whether fewer boards than units is a loss: units may be shares of boards, and exporters leave out the idle ones of those."""
    if any(share < 1 for resource, share in node.unit_shares.items() if not MIG_RESOURCE.match(resource)):
        return False
    return counted(named(labels)) == node.boards or bool(node.boards % min(counts)) or max(counts) > min(counts)
