"""What a report is of: a window, a grouping, filters, and what its reader may see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

GROUP_KEYS = (
    "cluster team department cost_center namespace job_kind job run pod user node node_pool gpu_model capacity_type queue"
).split()
MOST_KEYS = 30
STEPS = ("total", "hour", "day", "week", "month")


class Refused(ValueError):
    """A question that cannot be answered: one line that names the place and the cure."""


@dataclass(frozen=True, slots=True)
class Window:
    """[start, end), UTC."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise Refused(f"end {self.end.isoformat()} is not after start {self.start.isoformat()}")


@dataclass(frozen=True, slots=True)
class Scope:
    """`teams`: what the reader may see, None for all of it."""

    window: Window
    group_by: tuple[str, ...] = ()
    step: str = "total"
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excludes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    teams: frozenset[str] | None = None

    def __post_init__(self) -> None:
        for key in (*self.group_by, *self.filters, *self.excludes):
            if key not in GROUP_KEYS and not key.startswith("label:"):
                raise Refused(f"unknown key {key!r}; known: {', '.join(GROUP_KEYS)}, label:<name>")
        if len(self.group_by) > MOST_KEYS:
            raise Refused(f"group_by names {len(self.group_by)} keys; {MOST_KEYS} are enough")
        if self.step not in STEPS:
            raise Refused(f"unknown step {self.step!r}; known: {', '.join(STEPS)}")
