"""Rows by team, pool and model, folded so that their number has a bound and their sums stay what they were."""

from collections.abc import Sequence
from decimal import Decimal

from finops.queries import Row, together

KEYS = ("team", "node_pool", "gpu_model")
MOST = {"team": 50, "node_pool": 20, "gpu_model": 10}  # the rest is `other`, so at most 51 × 21 × 11 rows; a pool mostly has one model
RESERVED = ("unallocated", "unassigned")  # no team's: always told apart, beside the fifty
OTHER = "other"


def named(rows: Sequence[Row], *, key: str, most: int) -> frozenset[str]:
    """The values of `key` that keep their name: the `most` dearest of the rows, by hours and then by name where money is the same."""
    weight: dict[str, tuple[Decimal, Decimal]] = {}
    for row in rows:
        money, hours = weight.get(row.keys[key], (Decimal(0), Decimal(0)))
        weight[row.keys[key]] = (money + row.hours("cost"), hours + row.hours("capacity"))
    kept = RESERVED if key == "team" else ()
    dearest = sorted((value for value in weight if value not in kept), key=lambda value: (-weight[value][0], -weight[value][1], value))
    return frozenset(dearest[:most]).union(kept)


def folded(rows: Sequence[Row], *, names: dict[str, frozenset[str]]) -> list[Row]:
    """One row for each team, pool and model, with the values that are not in `names` as `other`."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        place = tuple(row.keys[key] if row.keys[key] in names[key] else OTHER for key in KEYS)
        groups.setdefault(place, []).append(row)
    return [together(group, keys=dict(zip(KEYS, place, strict=True))) for place, group in groups.items()]
