"""What a cluster tells and what its owner has configured: all that an account may be made from."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

HOUR, QUARTER = 3600, 900


@dataclass(frozen=True, slots=True)
class Series:
    """One series: (unix second, value) in rising order."""

    name: str
    labels: dict[str, str]
    samples: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """A price per GPU-hour for [start, end), unix seconds; None is for ever, "" is any."""

    price: Fraction
    model: str = ""
    pool: str = ""
    capacity_type: str = ""
    cluster: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """`kind`: from_pod_label (of the label `key`), namespace or node_pool (glob `key` → team `name`); valid in [start, end)."""

    kind: str
    key: str
    name: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One cluster. `first`: where its first hour begins; `interval`: the configured one, None where it is to be measured."""

    cluster: str
    first: int
    hours: int
    series: tuple[Series, ...]
    interval: int | None
    rates: tuple[Rate, ...] = ()
    rules: tuple[Rule, ...] = ()
    zone: str = "UTC"

    @property
    def end(self) -> int:
        return self.first + HOUR * self.hours

    def during(self, start: int, end: int) -> "Told":
        """What was told in [start, end)."""
        kept = (replace(s, samples=tuple(each for each in s.samples if start <= each[0] < end)) for s in self.series)
        return replace(self, series=tuple(s for s in kept if s.samples))

    def of(self, *names: str, **labels: str) -> Iterable[Series]:
        """The series of these names that bear all of these labels."""
        return (s for s in self.series if s.name in names and all(s.labels.get(key) == value for key, value in labels.items()))


@dataclass(slots=True)
class Figures:
    """GPU-hours and money by bucket; money of hours without a price is in neither. `lines`: how many parts were added."""

    hours: dict[str, Fraction] = field(default_factory=dict)
    costs: dict[str, Fraction] = field(default_factory=dict)
    unpriced: Fraction = Fraction(0)
    lines: int = 0

    def add(self, hours: dict[str, Fraction], price: Fraction | None) -> None:
        for bucket, amount in hours.items():
            self.hours[bucket] = self.hours.get(bucket, Fraction(0)) + amount
            if price is not None:
                self.costs[bucket] = self.costs.get(bucket, Fraction(0)) + amount * price
        self.unpriced += sum(hours.values()) if price is None else 0
        self.lines += 1
