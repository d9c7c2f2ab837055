"""How many GPU-hours and how much money of an hour each finding touches, team by team."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from finops.accounting.money import EXACT, stored
from finops.findings import Finding, Part, Share

MOST_PODS = 50  # of one team under one finding
NAMED = ("node", "node_pool", "gpu_model", "capacity_type")  # evidence that tells lines apart
INDEXED = ("lease", "node")
# Kinds about what has no price: the same boards may have one in another part of the hour.
PRICELESS = ("unpriced",)


@dataclass(frozen=True, slots=True)
class Charged:
    """One line of the hour. `names`: what Part.where may ask for; `hours`, `costs` by bucket, costs None where unpriced."""

    names: Mapping[str, str]
    hours: Mapping[str, Decimal]
    costs: Mapping[str, Decimal] | None


@dataclass(slots=True)
class _Sum:
    hours: Decimal = Decimal(0)
    cost: Decimal | None = None
    pods: set[str] = field(default_factory=set)


def with_shares(findings: Iterable[Finding], lines: Sequence[Charged]) -> list[Finding]:
    """The findings, each with what it touches of `lines`."""
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        for name in INDEXED:
            index[name, line.names.get(name, "")].append(place)
    return [replace(finding, shares=_shares(_reach(finding), lines, index)) for finding in findings]


def _reach(finding: Finding) -> tuple[Part, ...]:
    if finding.reach:
        return finding.reach
    where = {name: (str(finding.evidence[name]),) for name in NAMED if name in finding.evidence}
    if finding.kind in PRICELESS:
        where["priced"] = ("no",)
    return (Part(where),) if where else ()


def _shares(reach: Sequence[Part], lines: Sequence[Charged], index: Mapping[tuple[str, str], list[int]]) -> dict[str, Share]:
    weights: dict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for part in reach:
        for place in _candidates(part, lines, index):
            if all(lines[place].names.get(name, "") in values for name, values in part.where.items()):
                for bucket in lines[place].hours:
                    if not part.buckets or bucket in part.buckets:
                        weights[place, bucket] += part.weight
    found: dict[str, _Sum] = defaultdict(_Sum)
    for (place, bucket), weight in weights.items():
        if lines[place].hours[bucket]:
            _add(found[lines[place].names.get("team", "")], lines[place], bucket, min(weight, Fraction(1)))
    return {team: Share(each.hours, each.cost, tuple(sorted(each.pods)[:MOST_PODS])) for team, each in sorted(found.items())}


def _candidates(part: Part, lines: Sequence[Charged], index: Mapping[tuple[str, str], list[int]]) -> Iterable[int]:
    for name in INDEXED:
        if name in part.where:
            return [place for value in dict.fromkeys(part.where[name]) for place in index.get((name, value), [])]
    return range(len(lines))


def _add(into: _Sum, line: Charged, bucket: str, weight: Fraction) -> None:
    into.hours += _times(line.hours[bucket], weight)
    if line.costs is not None:
        into.cost = (into.cost or Decimal(0)) + _times(line.costs.get(bucket, Decimal(0)), weight)
    if line.names.get("pod"):
        into.pods.add(line.names["pod"])


def _times(amount: Decimal, weight: Fraction) -> Decimal:
    return amount if weight == 1 else stored(EXACT.divide(EXACT.multiply(amount, Decimal(weight.numerator)), Decimal(weight.denominator)))
