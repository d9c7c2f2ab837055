"""The findings that touch a job: its pods, its devices, its nodes, its prices."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from finops import quality
from finops.findings import Finding
from finops.job.explanation import Doubt, Pod
from finops.scope import Window

PART, HOUR = timedelta(days=7), timedelta(hours=1)  # asked at a time: an answer is bounded
OF_A_LEASE = {"reserved_team_label", "no_measurement", "unknown_model"}  # whose subject begins with the pod's uid


def doubts(
    pods: Sequence[Pod], window: Window, *, cluster: str, namespace: str, teams: frozenset[str] | None
) -> tuple[tuple[Doubt, ...], bool]:
    """By time; whether there are more than the quality layer answers."""
    names = {f"{namespace}/{pod.name}" for pod in pods}
    uids = {pod.uid for pod in pods}
    devices = {f"{device.uuid}/{device.instance}" if device.instance else device.uuid for pod in pods for device in pod.devices}
    unpriced = {" ".join(filter(None, (c.node_pool, c.gpu_model, c.capacity_type))) for pod in pods for c in pod.charges if c.price is None}
    hours: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for charge in (charge for pod in pods for charge in pod.charges):
        hours[charge.node].append((charge.start, charge.end))
    found: dict[tuple[str, str], list[quality.Doubt]] = defaultdict(list)
    more = False
    for part in _parts(window):
        told, unread = _told(part, cluster, teams)
        more = more or unread
        for each in told:
            if _touches(each.finding, names, uids, devices, unpriced) or _on_its_node(each, hours):
                found[each.finding.kind, each.finding.subject].append(each)
    return tuple(
        _doubt(group)
        for group in sorted(found.values(), key=lambda group: (group[0].hour, group[0].finding.kind, group[0].finding.subject))
    ), more


def _parts(window: Window) -> Iterator[Window]:
    at = window.start
    while at < window.end:
        after = min(at + PART, window.end)
        yield Window(at, after)
        at = after


def _told(part: Window, cluster: str, teams: frozenset[str] | None) -> tuple[list[quality.Doubt], bool]:
    """All of the part; where that is more than one answer holds, of its halves."""
    found = quality.findings(part, clusters=[cluster], teams=teams)
    if len(found) < quality.MOST:
        return found, False
    if part.end - part.start <= HOUR:
        return found, True
    middle = part.start + (part.end - part.start) / 2
    halves = [_told(half, cluster, teams) for half in (Window(part.start, middle), Window(middle, part.end))]
    return halves[0][0] + halves[1][0], halves[0][1] or halves[1][1]


def _touches(finding: Finding, names: set[str], uids: set[str], devices: set[str], unpriced: set[str]) -> bool:
    pods = finding.evidence.get("pods")
    if isinstance(pods, list):
        return not names.isdisjoint(pods) and (finding.kind not in OF_A_LEASE or finding.subject.split(" ")[0] in uids)
    return finding.subject in devices or (finding.kind == "unpriced" and finding.subject in unpriced)


def _on_its_node(doubt: quality.Doubt, hours: dict[str, list[tuple[int, int]]]) -> bool:
    """What is doubtful about a whole node, in an hour in which a pod of the job was there."""
    if doubt.finding.kind != "no_capacity":
        return False
    at = int(doubt.hour.timestamp())
    return any(start < at + 3600 and at < end for start, end in hours.get(str(doubt.finding.evidence.get("node")), ()))


def _doubt(group: Sequence[quality.Doubt]) -> Doubt:
    finding = group[-1].finding
    return Doubt(finding.kind, finding.subject, finding.message, len(group), group[0].hour, group[-1].hour)
