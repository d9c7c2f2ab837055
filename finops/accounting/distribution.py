"""Who bears what capacity cost that nobody held: amounts beside the lines, never hours and never cost.

Of one hour and node pool, what lines give away and what teams take add up to 0 to the last stored digit.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Generic, TypeVar

from finops.accounting.money import EXACT, QUANTUM
from finops.accounting.ownership import UNASSIGNED

KEEP = "keep"
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Policies:
    """What a cluster said from `start` on (None: from the beginning), until what it said next.

    `node_pools`: (glob, policy), the first that matches decides; `policy` where none does.
    """

    policy: str = KEEP
    node_pools: tuple[tuple[str, str], ...] = ()
    start: datetime | None = None

    def of(self, pool: str) -> str:
        """The policy of the node pool of that name, which may be ""."""
        return next((policy for glob, policy in self.node_pools if fnmatchcase(pool, glob)), self.policy)


def in_force(said: Sequence[Policies], *, at: datetime) -> Policies:
    """The last of `said`, in the order it was said, that had begun by `at`."""
    begun = [each for each in said if each.start is None or each.start <= at]
    return begun[-1] if begun else Policies()


@dataclass(frozen=True, slots=True)
class Pool(Generic[K]):
    """One node pool's hour. `free`: unallocated cost by line; `held`: GPU-hours by team; `quota`: GPUs by team; `owner`: "" is nobody."""

    free: Mapping[K, Decimal]
    held: Mapping[str, Decimal] = field(default_factory=dict)
    quota: Mapping[str, Fraction] = field(default_factory=dict)
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Moved(Generic[K]):
    """`given` by line, below 0; `taken` by team, above 0; together 0. Both are empty where the cost stays where it is."""

    given: Mapping[K, Decimal] = field(default_factory=dict)
    taken: Mapping[str, Decimal] = field(default_factory=dict)


def distribution(pool: Pool[K], policy: str) -> Moved[K]:
    """What the policy moves. Raises ValueError for a policy there is none of."""
    given = {line: -cost for line, cost in pool.free.items() if cost}
    weights = {team: weight for team, weight in _weights(pool, policy).items() if weight > 0}
    if not given or not weights:
        return Moved()
    return Moved(given, shared(-sum(given.values(), Decimal(0)), weights))


def _weights(pool: Pool[K], policy: str) -> Mapping[str, Fraction]:
    match policy:
        case "keep":
            return {}
        case "owner":
            return {pool.owner: Fraction(1)} if pool.owner else {}
        case "proportional":
            return {team: Fraction(hours) for team, hours in pool.held.items()}
        case "even":
            return {team: Fraction(1) for team, hours in pool.held.items() if hours}
        case "quota":
            # Quotas that no rule ties to a team would only move the cost from one line without a team to another.
            return pool.quota if any(units for team, units in pool.quota.items() if team != UNASSIGNED) else {}
    raise ValueError(f"no unallocated policy {policy!r}")


def shared(amount: Decimal, weights: Mapping[str, Fraction]) -> dict[str, Decimal]:
    """`amount`, not negative and of stored digits, in proportion to the weights, to the last digit by largest remainder.

    Of equal remainders the team first in the alphabet takes the digit. Who is left with nothing is left out.
    """
    digits, whole = int(EXACT.divide(amount, QUANTUM)), sum(weights.values(), Fraction(0))
    exact = {team: digits * weight / whole for team, weight in weights.items()}
    parts = {team: part.numerator // part.denominator for team, part in exact.items()}
    by_remainder = sorted(exact, key=lambda team: (parts[team] - exact[team], team))
    for team in by_remainder[: digits - sum(parts.values())]:
        parts[team] += 1
    return {team: EXACT.multiply(Decimal(part), QUANTUM) for team, part in sorted(parts.items()) if part}
