"""The items of a window beside the period before, each with its money as printed: rounded here, once for every table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finops import queries
from reports.pages.comparison import Before
from reports.pages.identity import Part
from reports.pages.items import Item, Label, is_unallocated
from reports.pages.state import State
from reports.templatetags.figures import MONEY, Number, apportioned, rounded


@dataclass(frozen=True)
class Entry:
    """`now`, `then`: its rows, of zeros where it held nothing. `cost`, `earlier`: their money as printed.
    `kind`: item, other, unallocated.
    """

    label: Label
    now: object
    then: object
    cost: Decimal | None
    earlier: Decimal | None
    kind: str = "item"

    @property
    def change(self) -> Decimal | None:
        return None if self.cost is None or self.earlier is None else self.cost - self.earlier


def entries(
    now: Mapping[Item, object], before: Before, then: Mapping[Item, object], *, total, parts: Sequence[Part],
    keys: Sequence[str], label: Callable[[Mapping[str, str]], Label],
) -> list[Entry]:  # fmt: skip
    """Every item of either period, unallocated capacity last. `parts`: the identity's, which the money must fit."""
    items = sorted(dict.fromkeys((*now, *then)), key=lambda item: is_unallocated(item, keys))
    named = [dict(zip(keys, item, strict=True)) for item in items]
    rows, earlier = ([of.get(i) or queries.together([], keys=n) for i, n in zip(items, named, strict=True)] for of in (now, then))
    kinds = ["unallocated" if is_unallocated(item, keys) else "item" for item in items]
    costs = _fitted([row.cost for row in rows], kinds, total.cost, parts[4].money)
    before_costs = [None] * len(items)
    if not before.why_not:
        before_costs = apportioned([row.cost for row in earlier], before.total.cost, MONEY)
    labels = [label(names) for names in named]
    return [Entry(*fields) for fields in zip(labels, rows, earlier, costs, before_costs, kinds, strict=True)]


def _fitted(costs: Sequence[Number], kinds: Sequence[str], total: Number, unallocated: Number) -> list[Decimal | None]:
    """Unallocated money as the identity prints it, the items in what is left."""
    if kinds.count("unallocated") != 1 or kinds[-1] != "unallocated" or unallocated is None or total is None:
        return apportioned(costs, total, MONEY)
    return [*apportioned(costs[:-1], rounded(total, MONEY) - unallocated, MONEY), unallocated]


def ordered(found: Sequence[Entry], state: State) -> list[Entry]:
    """Items in the order asked for, what is unknown behind what is known; unallocated capacity stays last."""
    value = SORTED[state.sort]
    items = sorted((entry for entry in found if entry.kind == "item"), key=lambda entry: entry.label.name)
    known = sorted((e for e in items if value(e) is not None), key=value, reverse=state.falling)
    return [*known, *(e for e in items if value(e) is None), *(e for e in found if e.kind != "item")]


def shortened(found: Sequence[Entry], *, most: int, noun: str) -> list[Entry]:
    """The first `most` items, the rest as one."""
    items, after = [e for e in found if e.kind == "item"], [e for e in found if e.kind != "item"]
    rest = items[most:]
    return [*items[:most], together(f"Other {noun} ({len(rest)})", rest), *after] if len(rest) > 1 else list(found)


def together(name: str, rest: Sequence[Entry]) -> Entry:
    """Several entries as one; its money is the sum of theirs as printed."""
    now, then = (queries.together([getattr(entry, side) for entry in rest]) for side in ("now", "then"))
    return Entry(Label(name), now, then, added(e.cost for e in rest), added(e.earlier for e in rest), "other")


def added(figures) -> Decimal | None:
    """The sum of what is known; None where nothing is."""
    known = [figure for figure in figures if figure is not None]
    return sum(known, Decimal(0)) if known else None


SORTED: dict[str, Callable[[Entry], object]] = {
    "name": lambda entry: entry.label.name,
    "cost": lambda entry: entry.now.cost,
    "change": lambda entry: entry.change,
    "allocated": lambda entry: entry.now.allocated_gpu_hours,
    "used": lambda entry: entry.now.used_gpu_hours,
    "efficiency": lambda entry: entry.now.efficiency,
    "idle": lambda entry: entry.now.idle_cost,
    "per_used": lambda entry: entry.now.cost_per_used_gpu_hour,
    "per_allocated": lambda entry: entry.now.cost_per_allocated_gpu_hour,
}
