"""What kube-state-metrics tells of nodes and pods, read the slow way: section 3 of the accounting model and the words of section 1."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import median

from tests.verification.told import HOUR, Told

MARGIN = 600
SLICES = {"A100": 7, "H100": 7, "A30": 4}


@dataclass(frozen=True, slots=True)
class Node:
    """Alive in [start, end). `boards`: physical GPUs by model; `capacity`: units by resource."""

    name: str
    start: Fraction
    end: Fraction
    boards: dict[str, int]
    capacity: dict[str, int]
    labels: dict[str, str]

    def unit(self, resource: str) -> Fraction:
        """Physical GPUs in one unit of `resource`."""
        if "mig_" in resource:
            (model,) = self.boards
            slices = next(n for short, n in SLICES.items() if short in model)
            return Fraction(int(resource.split("mig_")[1].split("g_")[0]), slices)
        return Fraction(sum(self.boards.values()), self.capacity[resource])

    def fits(self, resource: str, profile: str) -> bool:
        """Whether a device of that MIG profile ("" for a board) is a unit of `resource`."""
        return resource.endswith(f"mig_{profile.replace('.', '_')}") if profile else "mig_" not in resource

    def shared(self, resource: str) -> bool:
        return "mig_" not in resource and self.unit(resource) < 1


@dataclass(frozen=True, slots=True)
class Lease:
    """`units` of `resource` on `node` for [bound, end); `started` is None where nothing proves a start. `stamped`: the end was told."""

    uid: str
    namespace: str
    pod: str
    node: str
    resource: str
    units: int
    bound: Fraction
    started: Fraction | None
    end: Fraction
    stamped: bool

    def runs(self) -> tuple[Fraction, Fraction]:
        """When it is allocated and started; empty where it never was."""
        return (self.end, self.end) if self.started is None else (min(max(self.started, self.bound), self.end), self.end)


def half_interval(told: Told, times: Iterable[int], at: int) -> Fraction:
    """Half of the configured scrape interval, else of the median spacing of `times` in the hour of `at` and its margins."""
    if told.interval:
        return Fraction(told.interval, 2)
    begin = told.first + (at - told.first) // HOUR * HOUR
    near = sorted({t for t in times if begin - MARGIN <= t < begin + HOUR + MARGIN})
    return Fraction(median(b - a for a, b in zip(near, near[1:], strict=False))) / 2


def nodes(told: Told) -> list[Node]:
    found = []
    for name in sorted({s.labels["node"] for s in told.of("kube_node_status_capacity")}):
        seen = [t for s in told.of("kube_node_status_capacity", node=name) for t, _ in s.samples]
        created = min(v for s in told.of("kube_node_created", node=name) for _, v in s.samples)
        capacity = {s.labels["resource"]: round(s.samples[-1][1]) for s in told.of("kube_node_status_capacity", node=name)}
        labels = next(s.labels for s in told.of("kube_node_labels", node=name))
        end = max(seen) + half_interval(told, seen, max(seen))
        found.append(Node(name, Fraction(round(created)), end, boards(told, name, labels, capacity), capacity, labels))
    return found


def boards(told: Told, node: str, labels: dict[str, str], capacity: dict[str, int]) -> dict[str, int]:
    """By the exporter where it shows several models, else as many as the label counts, else the plain capacity."""
    cards = {(s.labels["UUID"], s.labels["modelName"]) for s in told.series if s.name.startswith("DCGM") and s.labels["Hostname"] == node}
    models = {model for _, model in cards} or {labels["label_nvidia_com_gpu_product"].replace("-", " ", 1)}
    if len(models) > 1:
        return {model: sum(m == model for _, m in cards) for model in sorted(models)}
    return {models.pop(): int(labels.get("label_nvidia_com_gpu_count", 0)) or len({uuid for uuid, _ in cards}) or sum(capacity.values())}


def leases(told: Told) -> list[Lease]:
    """Every pod that was seen asking for GPUs on a node; an unseen end is not yet cut at the device's next lease."""
    uids = {s.labels["uid"] for s in told.of("kube_pod_container_resource_requests", "kube_pod_init_container_resource_requests")}
    return [lease for uid in sorted(uids) if (lease := _lease(told, uid))]


def _lease(told: Told, uid: str) -> Lease | None:
    main = list(told.of("kube_pod_container_resource_requests", uid=uid))
    init = list(told.of("kube_pod_init_container_resource_requests", uid=uid))
    stays = {s.labels["container"] for s in told.of("kube_pod_init_container_info", uid=uid, restart_policy="Always")}
    asked = {(s.labels["container"], s in init): round(s.samples[0][1]) for s in (*main, *init) if s.samples}
    if not asked:
        return None
    kept = sum(units for (name, first), units in asked.items() if not first or name in stays)
    once = max((units for (name, first), units in asked.items() if first and name not in stays), default=0)
    bound = max(v for s in told.of("kube_pod_status_scheduled_time", uid=uid) for _, v in s.samples)
    end = _end(told, uid, {t for s in (*main, *init) for t, _ in s.samples})
    about = (main or init)[0].labels
    who = about["namespace"], about["pod"], about["node"], about["resource"]
    lease = Lease(uid, *who, max(kept, once), Fraction(round(bound)), _started(told, uid, asked), *end)
    return lease if lease.end > lease.bound else None


def _started(told: Told, uid: str, asked: Iterable[tuple[str, bool]]) -> Fraction | None:
    """The earliest start of a container, init containers aside; a sidecar is a container."""
    once = {name for name, init in asked if init} - {
        s.labels["container"] for s in told.of("kube_pod_init_container_info", uid=uid, restart_policy="Always")
    }
    told_starts = [
        v for s in told.of("kube_pod_container_state_started", uid=uid) if s.labels["container"] not in once for _, v in s.samples
    ]
    return Fraction(round(min(told_starts))) if told_starts else None


def _end(told: Told, uid: str, seen: set[int]) -> tuple[Fraction, bool]:
    """The told end, else half an interval after the last scrape at which it was there and in no terminal phase."""
    completed = [v for s in told.of("kube_pod_completion_time", uid=uid) for _, v in s.samples]
    if completed:
        return Fraction(round(max(completed))), True
    over = {t for s in told.of("kube_pod_status_phase", uid=uid) if s.labels["phase"] in ("Succeeded", "Failed") for t, v in s.samples if v}
    holding = seen - over
    if not holding:
        return Fraction(0), True
    scrapes = [t for s in told.of("kube_pod_container_resource_requests", "kube_node_status_capacity") for t, _ in s.samples]
    return max(holding) + half_interval(told, scrapes, max(holding)), False


def cut(lease: Lease, others: Iterable[Lease]) -> Lease:
    """A lease whose end nobody told ends where one of `others`, the leases of its devices, begins."""
    later = [other.bound for other in others if other.uid != lease.uid and lease.bound < other.bound < lease.end]
    return lease if lease.stamped or not later else replace(lease, end=min(later))
