"""What a check has to say, with its evidence, and what of the hour it touches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Origin = Literal["collecting", "accounting"]


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of the hour that a finding touches: those that bear one of the values `where` gives for each name, all where it is empty.

    Names: lease, namespace, pod, team, node, node_pool, gpu_model, capacity_type, priced (yes, no).
    `buckets`: used, idle, starting, unmeasured, unallocated; empty for all of them. `weight`: how much of them, at most 1.
    """

    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buckets: tuple[str, ...] = ()
    weight: Fraction = Fraction(1)

    def as_json(self) -> dict[str, object]:
        return {"where": {name: list(values) for name, values in self.where.items()}, "buckets": list(self.buckets), "weight": str(self.weight)}

    @classmethod
    def read(cls, stored: Mapping[str, object]) -> "Part":
        """What as_json gave."""
        where, buckets, weight = stored["where"], stored["buckets"], stored["weight"]
        assert isinstance(where, dict) and isinstance(buckets, list)
        return cls({name: tuple(values) for name, values in where.items()}, tuple(buckets), Fraction(str(weight)))


@dataclass(frozen=True, slots=True)
class Share:
    """What of it is one team's; `cost` None where nothing of it has a price. `pods`: namespace/name of some of them."""

    gpu_hours: Decimal
    cost: Decimal | None
    pods: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {"gpu_hours": f"{self.gpu_hours:f}", "cost": None if self.cost is None else f"{self.cost:f}", "pods": list(self.pods)}


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind` names the rule, one of finops.kinds; `subject` what it is about; evidence holds plain values.

    `teams` are those whose pods it names. `reach`: what it touches; where it is empty, the lines that bear what the evidence names.
    `origin`: who found it, and so who replaces it. `shares`: what it touches by team, None before the hour was charged.
    """

    kind: str
    subject: str
    message: str
    evidence: dict[str, object] = field(default_factory=dict)
    teams: tuple[str, ...] = ()
    reach: tuple[Part, ...] = ()
    origin: Origin = "accounting"
    shares: Mapping[str, Share] | None = None
