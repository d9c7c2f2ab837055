"""What of an hour's figures is doubtful, and why."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from finops.accounting.touched import Charged
from finops.findings import Finding, Part

REJECTED = 10  # samples of one device in one hour that were no measurement; fewer are the odd blank marker
NO_POOL_NAME = "no team rule names nodes without a pool alone; their unallocated cost stays apart"
RAN = 300  # seconds a lease must have run before silence about it says anything: a shorter one falls between scrapes


@dataclass(frozen=True, slots=True)
class Card:
    """One device under one lease. `rejected`: its samples in the hour that were no measurement; `part`: of all that the lease held."""

    uuid: str
    instance: str
    node: str
    lease: str
    rejected: int
    frozen: bool
    inferred: bool
    part: float = 1.0

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
    the GPU-hours of their node that nobody else held; free: GPU-hours nobody held, by node;
    lines: what was charged; blind: the source has nothing of the hour; team_labels: labels of pods whose value is the team by a rule of the
    hour; worn: labels that pods bear.
    """

    tenancies: list[Tenancy] = field(default_factory=list)
    cards: Sequence[Card] = ()
    over: list[tuple[str, str, tuple[str, ...], Fraction]] = field(default_factory=list)
    unpriced: dict[Unpriced, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    unplaced: set[str] = field(default_factory=set)
    homeless: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    untold: dict[str, int] = field(default_factory=dict)
    lines: list[Charged] = field(default_factory=list)
    blind: bool = False
    team_labels: Sequence[str] = ()
    worn: set[str] = field(default_factory=set)
    kept: Mapping[str, tuple[str, Decimal]] = field(default_factory=dict)
    withheld: list[tuple[str, str, float, float]] = field(default_factory=list)
    claims: dict[str, tuple[list[str], Decimal]] = field(default_factory=dict)
    free: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))


def findings(evidence: Evidence, *, more: Iterable["Rule"] = ()) -> list[Finding]:
    """The hour's findings by the rules below and by `more`, one per kind and subject, in a fixed order."""
    about = {tenancy.lease: tenancy for tenancy in evidence.tenancies}
    found: dict[tuple[str, str], Finding] = {}
    for finding in (finding for rule in (*RULES, *more) for finding in rule(evidence, about)):
        # A lease on boards of two models, or a node that came back within the hour, gives cause twice.
        found.setdefault((finding.kind, finding.subject), finding)
    return [found[key] for key in sorted(found)]


About = Mapping[str, Tenancy]
Rule = Callable[[Evidence, About], Iterator[Finding]]


def _over_committed(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, model, leases, excess in evidence.over:
        seconds = round(float(excess), 3)
        text = f"leases on {node} exceed its {model or 'GPUs'} by {seconds:g} GPU-seconds; they were scaled to what there is"
        yield named("over_committed", f"{node} {model}", text, leases, about, node=node, gpu_model=model, excess_gpu_seconds=seconds)


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
        yield named("frozen_profiling", device, text, [c.lease for c in cards], about, reach=_parts(cards), node=cards[0].node)


def _rejected_samples(evidence: Evidence, about: About) -> Iterator[Finding]:
    for device, cards in _by_device(evidence.cards, lambda card: card.rejected > 0):
        if (count := max(card.rejected for card in cards)) >= REJECTED:
            text = f"{count} samples of {device} are no measurement (blank markers or out of range) and were dropped"
            yield named("rejected_samples", device, text, [c.lease for c in cards], about, reach=_parts(cards), node=cards[0].node, samples=count)


def _inferred_device(evidence: Evidence, about: About) -> Iterator[Finding]:
    for device, cards in _by_device(evidence.cards, lambda card: card.inferred):
        text = f"no series of {device} names its pod; it was told by elimination"
        yield named("inferred_device", device, text, [c.lease for c in cards], about, reach=_parts(cards), node=cards[0].node)


def _reserved_team_label(evidence: Evidence, about: About) -> Iterator[Finding]:
    for tenancy in evidence.tenancies:
        if tenancy.claimed:
            text = f"{tenancy.pod} is labelled with the reserved team {tenancy.claimed}; it counts as unassigned"
            yield named("reserved_team_label", tenancy.lease, text, [tenancy.lease], about, value=tenancy.claimed)


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
            ran = max(p.ran_seconds for p in parts)
            yield named("no_measurement", lease, text, [lease], about, buckets=("unmeasured",), node=parts[0].node, ran_seconds=ran)


def _unknown_model(evidence: Evidence, about: About) -> Iterator[Finding]:
    for lease in sorted(evidence.unplaced):
        if lease in about:
            text = f"nothing tells which GPU model {about[lease].pod} holds on {about[lease].node}; it was charged by the boards that are free"
            yield named("unknown_model", lease, text, [lease], about, node=about[lease].node)


def _unknown_node(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, leases in sorted(evidence.homeless.items()):
        text = f"{len(leases)} pods hold GPUs on {node}, and nothing tells that it has any; they are charged to no node"
        yield named("unknown_node", node, text, leases, about, node=node)


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


RULES = (
    _over_committed, _unpriced, _frozen_profiling, _rejected_samples, _inferred_device, _reserved_team_label, _no_measurement, _unknown_model,
    _unknown_node, _no_capacity, _no_pool_owner, _no_quota,
)  # fmt: skip


def named(
    kind: str, subject: str, message: str, leases: Iterable[str], about: About, *,
    where: Mapping[str, tuple[str, ...]] | None = None, buckets: tuple[str, ...] = (), reach: Sequence[Part] = (), **evidence: object,
) -> Finding:  # fmt: skip
    """A finding about pods, with their names and teams. It touches `buckets` of these leases, as far as `where` holds, or else `reach`."""
    mine = tuple(dict.fromkeys(leases))
    known = [about[lease] for lease in mine if lease in about]
    teams = tuple(sorted({team for tenancy in known for team in tenancy.teams}))
    pods: dict[str, object] = {"pods": sorted({t.pod for t in known})}
    touches = tuple(reach) or (Part({"lease": mine} | dict(where or {}), buckets),)
    return Finding(kind, subject, message, evidence | pods, teams, touches)


def _parts(cards: Iterable[Card]) -> tuple[Part, ...]:
    """Of each lease what its device is of all that it held."""
    return tuple(Part({"lease": (card.lease,)}, (), Fraction(card.part).limit_denominator(10_000)) for card in cards)


def _by_device(cards: Iterable[Card], wanted: Callable[[Card], bool]) -> Iterator[tuple[str, list[Card]]]:
    found: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        if wanted(card):
            found[card.device].append(card)
    yield from sorted(found.items())
