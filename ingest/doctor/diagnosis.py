"""One finding on one source."""

from collections.abc import Iterable
from dataclasses import dataclass

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`level`: ok, warn, or fault (figures are wrong). `cost`: in accuracy; `mend`: the exact line, "" where none is needed."""

    cluster: str
    level: str
    check: str
    message: str
    cost: str = ""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Past(Diagnosis):
    """What the ledger shows. `since`, `last`: its first and last hour, ISO 8601; `hours`: how many have it; `gpu_hours` and `money`: what it
    touches in them, decimals as text, None where nothing is known or has a price."""

    since: str = ""
    last: str = ""
    hours: int = 0
    gpu_hours: str | None = None
    money: str | None = None


def named(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    rows = sorted(set(names))
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return ", ".join(rows[:MOST_NAMED]) + more
