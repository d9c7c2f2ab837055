"""What an hour is made of: nodes alive in it, leases that reach into it, and their measured use."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from finops.accounting.hour_findings import Card
from finops.accounting.leases import Sightings
from finops.findings import Finding


@dataclass(frozen=True, slots=True)
class Node:
    """A node alive over [start, end), unix seconds; it may begin or end outside the hour. `withheld`: GPUs no pod could get, by kind."""

    name: str
    start: int
    end: int
    unit_shares: dict[str, str]
    models: dict[str, int]
    pool: str
    instance_type: str
    capacity_type: str
    capacity: dict[str, int]
    cpus: float | None = None
    memory: float | None = None  # bytes
    withheld: dict[str, str] = field(default_factory=dict)

    def unit_share(self, resource: str) -> Fraction:
        return Fraction(self.unit_shares.get(resource, "1"))


@dataclass(frozen=True, slots=True)
class Held:
    """A lease: `quantity` units of `resource`."""

    id: str
    resource: str
    quantity: int
    seen: Sightings


@dataclass(frozen=True, slots=True)
class Said:
    """What labels and annotations said of a pod, and the user and queue they name, from `since` on; None: from before."""

    since: float | None
    labels: dict[str, str]
    annotations: dict[str, str] = field(default_factory=dict)
    user: str = ""
    queue: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """Whose a lease is: `own` and its namespace's labels as they followed one another in the hour."""

    uid: str
    namespace: str
    pod: str
    job_kind: str
    job: str
    run: str
    own: list[Said]
    space: list[Said]

    def at(self, instant: int) -> tuple[Said, Said]:
        """What the pod's and what its namespace's labels said at `instant` (unix seconds)."""
        pod, space = ([said for said in runs if said.since is None or round(said.since) <= instant][-1] for runs in (self.own, self.space))
        return pod, space

    def changes(self) -> list[int]:
        """The instants at which either changes."""
        return [round(said.since) for said in (*self.own, *self.space) if said.since is not None]


@dataclass(slots=True)
class Found:
    """`measured`, `used`: GPU-seconds, `joules`: energy, each by (lease, model) and quarter; `rest`: joules by (node, model) that
    no lease is known to have used; `models`: GPUs of each model that a lease's devices were, in this hour or else in its others."""

    nodes: list[Node] = field(default_factory=list)
    held: dict[str, list[Held]] = field(default_factory=lambda: defaultdict(list))
    pods: dict[str, About] = field(default_factory=dict)
    measured: dict = field(default_factory=lambda: defaultdict(dict))
    used: dict = field(default_factory=lambda: defaultdict(dict))
    joules: dict = field(default_factory=lambda: defaultdict(dict))
    rest: dict = field(default_factory=lambda: defaultdict(dict))
    models: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    cards: list[Card] = field(default_factory=list)
    blind: bool = False  # whether the source has nothing of the hour
    told: list[Finding] = field(default_factory=list)  # what was found while the hour was collected
