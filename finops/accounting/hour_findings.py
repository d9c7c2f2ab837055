"""What of an hour's figures is doubtful, and why."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from finops.findings import Finding

REJECTED = 10  # samples of one device in one hour that were no measurement; fewer are the odd blank marker
NO_POOL_NAME = "no team rule names nodes without a pool alone; their unallocated cost stays apart"
RAN = 300  # seconds a lease must have run before silence about it says anything: a shorter one falls between scrapes


@dataclass(frozen=True, slots=True)
class Card:
    """One device under one lease. `rejected`: its samples in the hour that were no measurement."""

    uuid: str
    instance: str
    node: str
    lease: str
    rejected: int
    frozen: bool
    inferred: bool

    @property
    def device(self) -> str:
        return f"{self.uuid}/{self.instance}" if self.instance else self.uuid


@dataclass(frozen=True, slots=True)
class Tenancy:
    """One lease's hour on one pool. `pod`: namespace/name; `teams`: its teams in the hour; `claimed`: a reserved word a label gave as team;
    `measurable`: whether an exporter that is read could tell its use."""

    lease: str
    pod: str
    node: str
    teams: tuple[str, ...]
    ran_seconds: int
    measured_seconds: float
    claimed: str = ""
    measurable: bool = True


@dataclass(frozen=True, slots=True)
class Unpriced:
    """Boards without a price. `lacks`: as `Priced.lacks`; `node` is named where its size is what is lacking."""

    node_pool: str
    gpu_model: str
    capacity_type: str
    node: str = ""
    lacks: str = ""


@dataclass(slots=True)
class Evidence:
    """What the hour's accounting came across.

    over: (node, model, leases, excess GPU-seconds); unpriced: GPU-hours by what has no price, and why;
    unplaced: leases on a node of several models that nothing ties to one of them;
    untold: boards of each node whose capacity names no GPU; homeless: leases by the node they name, of which nothing is known;
    kept: the policy that found nobody to bear a node pool's unallocated cost, and that cost;
    withheld: (kind, node, mean GPUs, GPU-hours) that no pod could get; claims: leases by claims of which nothing tells what they hold, and
    the GPU-hours of their node that nobody else held.
    """

    tenancies: list[Tenancy] = field(default_factory=list)
    cards: Sequence[Card] = ()
    over: list[tuple[str, str, tuple[str, ...], Fraction]] = field(default_factory=list)
    unpriced: dict[Unpriced, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    unplaced: set[str] = field(default_factory=set)
    homeless: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    untold: dict[str, int] = field(default_factory=dict)
    kept: Mapping[str, tuple[str, Decimal]] = field(default_factory=dict)
    withheld: list[tuple[str, str, float, float]] = field(default_factory=list)
    claims: dict[str, tuple[list[str], Decimal]] = field(default_factory=dict)


def findings(evidence: Evidence) -> list[Finding]:
    """The hour's findings, one per kind and subject, in a fixed order."""
    about = {tenancy.lease: tenancy for tenancy in evidence.tenancies}
    found: dict[tuple[str, str], Finding] = {}
    for finding in (finding for rule in RULES for finding in rule(evidence, about)):
        # A lease on boards of two models, or a node that came back within the hour, gives cause twice.
        found.setdefault((finding.kind, finding.subject), finding)
    return [found[key] for key in sorted(found)]


About = Mapping[str, Tenancy]


def _over_committed(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, model, leases, excess in evidence.over:
        seconds = round(float(excess), 3)
        text = f"leases on {node} exceed its {model or 'GPUs'} by {seconds:g} GPU-seconds; they were scaled to what there is"
        yield _named("over_committed", f"{node} {model}", text, leases, about, node=node, gpu_model=model, excess_gpu_seconds=seconds)


def _unpriced(evidence: Evidence, about: About) -> Iterator[Finding]:
    for what, hours in evidence.unpriced.items():
        pool, model, capacity_type = what.node_pool, what.gpu_model, what.capacity_type
        seen: dict[str, object] = {"node_pool": pool, "gpu_model": model, "capacity_type": capacity_type, "gpu_hours": str(hours)}
        seen |= {"node": what.node} if what.node else {"currency": what.lacks} if what.lacks else {}
        where = (what.node, model) if what.node else (pool, model, capacity_type, what.lacks)
        yield Finding("unpriced", " ".join(filter(None, where)), _why_unpriced(what), seen)


def _why_unpriced(what: Unpriced) -> str:
    if what.node:
        cure = "let kube-state-metrics export kube_node_status_capacity of both, or give a price per GPU-hour"
        return f"the price of the instance {what.node} cannot be divided: nothing tells its cpu and memory; {cure}"
    boards = f"{what.capacity_type} {what.gpu_model or 'GPUs of unknown model'}{f' in node pool {what.node_pool}' if what.node_pool else ''}"
    if what.lacks:
        return f"the rate for {boards} is in {what.lacks}, which has no exchange rate yet at that time; add one under exchange_rates"
    return f"no rate for {boards}; add one under rates"


def _frozen_profiling(evidence: Evidence, about: About) -> Iterator[Finding]:
    for device, cards in _by_device(evidence.cards, lambda card: card.frozen):
        text = f"{device} reports profiling 0 while GPU_UTIL is busy; GPU_UTIL was taken instead"
        yield _named("frozen_profiling", device, text, [c.lease for c in cards], about, node=cards[0].node)


def _rejected_samples(evidence: Evidence, about: About) -> Iterator[Finding]:
    for device, cards in _by_device(evidence.cards, lambda card: card.rejected > 0):
        if (count := max(card.rejected for card in cards)) >= REJECTED:
            text = f"{count} samples of {device} are no measurement (blank markers or out of range) and were dropped"
            yield _named("rejected_samples", device, text, [c.lease for c in cards], about, node=cards[0].node, samples=count)


def _inferred_device(evidence: Evidence, about: About) -> Iterator[Finding]:
    for device, cards in _by_device(evidence.cards, lambda card: card.inferred):
        text = f"no series of {device} names its pod; it was told by elimination"
        yield _named("inferred_device", device, text, [c.lease for c in cards], about, node=cards[0].node)


def _reserved_team_label(evidence: Evidence, about: About) -> Iterator[Finding]:
    for tenancy in evidence.tenancies:
        if tenancy.claimed:
            text = f"{tenancy.pod} is labelled with the reserved team {tenancy.claimed}; it counts as unassigned"
            yield _named("reserved_team_label", tenancy.lease, text, [tenancy.lease], about, value=tenancy.claimed)


def _no_measurement(evidence: Evidence, about: About) -> Iterator[Finding]:
    measured = {tenancy.node for tenancy in evidence.tenancies if tenancy.measured_seconds > 0}
    seen: dict[str, list[Tenancy]] = defaultdict(list)
    for tenancy in evidence.tenancies:
        if tenancy.measurable:
            seen[tenancy.lease].append(tenancy)
    for lease, parts in seen.items():
        silent = max(p.ran_seconds for p in parts) >= RAN and not any(p.measured_seconds > 0 for p in parts)
        if silent and parts[0].node in measured:
            text = f"{parts[0].pod} ran on {parts[0].node} and nothing measured it, while others there were"
            yield _named("no_measurement", lease, text, [lease], about, node=parts[0].node, ran_seconds=max(p.ran_seconds for p in parts))


def _unknown_model(evidence: Evidence, about: About) -> Iterator[Finding]:
    for lease in sorted(evidence.unplaced):
        if lease in about:
            text = f"nothing tells which GPU model {about[lease].pod} holds on {about[lease].node}; it was charged by the boards that are free"
            yield _named("unknown_model", lease, text, [lease], about, node=about[lease].node)


def _unknown_node(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, leases in sorted(evidence.homeless.items()):
        text = f"{len(leases)} pods hold GPUs on {node}, and nothing tells that it has any; they are charged to no node"
        yield _named("unknown_node", node, text, leases, about, node=node)


def _no_capacity(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, boards in evidence.untold.items():
        text = f"{node} tells of no GPU capacity; the {boards} boards seen on it or counted by its labels are its capacity"
        yield Finding("no_capacity", node, text, {"node": node, "boards": boards})


def _no_pool_owner(evidence: Evidence, about: About) -> Iterator[Finding]:
    for pool, (policy, cost) in evidence.kept.items():
        if policy == "owner":
            text = f"no team rule names the node pool {pool} alone; its unallocated cost stays apart" if pool else NO_POOL_NAME
            yield Finding("no_pool_owner", pool, text, {"node_pool": pool, "unallocated_cost": str(cost)})


def _no_quota(evidence: Evidence, about: About) -> Iterator[Finding]:
    for pool, (policy, cost) in evidence.kept.items():
        if policy == "quota":
            text = f"no team has a known quota of the GPUs of {f'node pool {pool}' if pool else 'nodes without a pool'}; their unallocated cost stays apart"
            yield Finding("no_quota", pool, text, {"node_pool": pool, "unallocated_cost": str(cost)})


def _stranded_slices(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, gpus, hours in _withheld(evidence, "stranded"):
        text = f"MIG slices of {node} worth {gpus:g} GPUs belong to no instance, so that no pod can ask for them; cut its boards anew to use them"
        yield Finding("stranded_slices", node, text, {"node": node, "gpus": gpus, "gpu_hours": str(hours)})


def _unhealthy_gpus(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, gpus, hours in _withheld(evidence, "unhealthy"):
        text = f"{gpus:g} GPUs of {node} (mean of the hour) are in its capacity and not allocatable: paid for, and no new pod gets them; see its device plugin's log"
        yield Finding("unhealthy_gpus", node, text, {"node": node, "gpus": gpus, "gpu_hours": str(hours)})


def _withheld(evidence: Evidence, kind: str) -> list[tuple[str, float, float]]:
    """(node, mean GPUs, GPU-hours): a node that came back within the hour is told of once, with all of its hours."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for each, node, gpus, hours in evidence.withheld:
        if each == kind:
            found[node].append((gpus, hours))
    return [(node, max(gpus for gpus, _ in parts), round(sum(hours for _, hours in parts), 6)) for node, parts in sorted(found.items())]


def _resource_claims(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, (leases, hours) in sorted(evidence.claims.items()):
        text = (
            f"{len(leases)} pods on {node} hold resource claims, and no device's series names them: what they hold and cost is unknown; "
            f"up to {hours.normalize():f} GPU-hours that count as unallocated are theirs"
        )
        yield _named("resource_claims", node, text, leases, about, node=node, gpu_hours=str(hours))


RULES = (
    _over_committed, _unpriced, _frozen_profiling, _rejected_samples, _inferred_device, _reserved_team_label, _no_measurement, _unknown_model,
    _unknown_node, _no_capacity, _no_pool_owner, _no_quota, _stranded_slices, _unhealthy_gpus, _resource_claims,
)  # fmt: skip


def _named(kind: str, subject: str, message: str, leases: Iterable[str], about: About, **evidence: object) -> Finding:
    """A finding about pods, with their names and teams."""
    known = [about[lease] for lease in dict.fromkeys(leases) if lease in about]
    teams = tuple(sorted({team for tenancy in known for team in tenancy.teams}))
    return Finding(kind, subject, message, evidence | {"pods": sorted({t.pod for t in known})}, teams)


def _by_device(cards: Iterable[Card], wanted: Callable[[Card], bool]) -> Iterator[tuple[str, list[Card]]]:
    found: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        if wanted(card):
            found[card.device].append(card)
    yield from sorted(found.items())
