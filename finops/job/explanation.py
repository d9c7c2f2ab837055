"""The explanation as a value, apart from how it is shown. Instants are unix seconds, UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from finops.queries import Row


@dataclass(frozen=True, slots=True)
class Moment:
    """`at` is None where nothing tells it; `told_by`: the series that does, or what stands in for it."""

    at: int | None
    told_by: str


@dataclass(frozen=True, slots=True)
class Held:
    """One hold of a pod: `quantity` units of `resource`, `gpus` GPUs in all. `ended` without `at` is still held where the data end.

    `start`, `end`: the lease as it is charged, rounded to the second.
    """

    resource: str
    node: str
    quantity: int
    gpus: Fraction
    bound: Moment
    started: Moment
    ended: Moment
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Device:
    """One board or MIG instance under one pod; seconds are summed over [first, last).

    `source`: gr_engine, gpu_util, mixed or none. `beside`: how many other pods sat on the board meanwhile; `estimated` where its use was shared out.
    """

    uuid: str
    instance: str
    model: str
    share: float
    first: int
    last: int
    held_seconds: float
    measured_seconds: float
    busy_gpu_seconds: float
    samples: int
    rejected: int
    source: str
    frozen: bool
    inferred: bool
    estimated: bool
    beside: int


@dataclass(frozen=True, slots=True)
class Applied:
    """The rate behind a price, as it was entered, `per` GPU or instance; `exchange` where its currency is not the reporting one.

    `price`: of a GPU-hour, in the reporting currency.
    """

    selector: tuple[tuple[str, str], ...]
    entered: Decimal
    per: str
    entered_currency: str
    exchange: Decimal | None
    exchange_from: datetime | None
    start: datetime | None
    end: datetime | None
    origin: str
    price: Decimal


@dataclass(frozen=True, slots=True)
class Decided:
    """Why a team: the entry of `teams` in file order (from 1) that decided, and what of it matched; `place` None where none holds."""

    team: str
    place: int | None
    kind: str
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Charge:
    """A span of one pod with one price, one owner and one kind of GPU.

    `times`: (GPUs, seconds held) of each hold in it. `expected` is what these come to in GPU-hours; `missing` what the ledger has less
    (a lease scaled to the capacity, one that gave way, a node that was gone), 0 where that is rounding.
    `restated`: rates or rules now say otherwise than when the hours were accounted.
    """

    start: int
    end: int
    node: str
    node_pool: str
    instance_type: str
    capacity_type: str
    gpu_model: str
    user: str
    queue: str
    price: Decimal | None
    applied: Applied | None
    decided: Decided
    times: tuple[tuple[Fraction, int], ...]
    expected: Decimal
    missing: Decimal
    restated: tuple[str, ...]
    sums: Row


@dataclass(frozen=True, slots=True)
class Gap:
    """Ledger hours in each of which a pod ran unmeasured for a time; `gpu_hours`: how much in all."""

    start: int
    end: int
    gpu_hours: Decimal


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod; `sums` are those of its charges."""

    name: str
    uid: str
    run: str
    held: tuple[Held, ...]
    devices: tuple[Device, ...]
    charges: tuple[Charge, ...]
    unmeasured: tuple[Gap, ...]
    sums: Row


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a recurring workload; `sums` by the query layer."""

    name: str
    start: int
    end: int
    pods: int
    sums: Row


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding that touches the job, in how many hours, and in which first and last."""

    kind: str
    subject: str
    message: str
    hours: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much the lines exceed the query layer's sum of that name; None where one of them has no figure."""

    name: str
    queried: Decimal | None
    lines: Decimal | None

    @property
    def excess(self) -> Decimal | None:
        return None if self.queried is None or self.lines is None else self.lines - self.queried


@dataclass(frozen=True, slots=True)
class Explanation:
    """Pods are ordered by cost, dearest first; runs by time. `sums`: the query layer's; `differences`: where the lines do not make them."""

    cluster: str
    namespace: str
    kind: str
    name: str
    run: str
    start: datetime
    end: datetime
    begun: int
    over: int
    whole_life: bool
    zone: str
    currency: str
    as_of: datetime | None
    sums: Row
    lines: int
    differences: tuple[Difference, ...]
    incomplete: tuple[dict[str, str], ...]
    runs: tuple[Run, ...]
    pods: tuple[Pod, ...]
    doubts: tuple[Doubt, ...]
    more_doubts: bool

    @property
    def teams(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(charge.decided.team for pod in self.pods for charge in pod.charges))


def dearest(pods: Sequence[Pod]) -> tuple[Pod, ...]:
    """By cost, then GPU-hours, falling; what has no price after what has."""
    key = lambda pod: (pod.sums.cost is None, -(pod.sums.cost or 0), -pod.sums.hours("allocated"), pod.name, pod.uid)  # noqa: E731
    return tuple(sorted(pods, key=key))
