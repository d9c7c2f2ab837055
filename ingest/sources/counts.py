"""What a server counts against what it lists: a list that a proxy shortened at a JSON boundary looks whole.

Raw lists of what money is made of are counted one by one over their whole window. All other lists of Kubernetes objects are counted
in one question at one instant: over a window that holds it there can only be more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.catalogue import QUERIES, Query
from ingest.sources import Samples, SourceError
from ingest.sources.promql import selector

COUNTED = ("requests", "init_requests", "capacity", "profiling", "utilisation")
OBJECTS = tuple(query for query in QUERIES if query.over and not query.extra and query.above is None and not query.quarters)
LOOK_BACK = 300.0  # seconds a server goes back for the latest sample of a series


@dataclass(frozen=True, slots=True)
class Counts:
    """Series of each name at one instant, unix seconds."""

    at: float = 0.0
    series: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: Samples, *, at: float) -> "Counts":
        """From the answer to `question`."""
        names = [answer.labels[place].get("__name__", "") for place in answer.series]
        return cls(at, dict(zip(names, map(int, answer.value), strict=True)))

    def check(self, query: Query, found: Samples, *, ends: Sequence[float], seconds: float) -> None:
        """SourceError where the last window lists fewer series than stood at an instant inside it."""
        if query not in OBJECTS or not len(ends) or not ends[-1] - seconds + LOOK_BACK <= self.at <= ends[-1]:
            return
        refuse_fewer(int((found.time == ends[-1]).sum()), sum(self.series.get(name, 0) for name in query.names))


def question(match: Mapping[str, str]) -> str:
    """How many series of each object stand at an instant."""
    names = [name for query in OBJECTS for name in query.names]
    return f"count by (__name__) ({selector(names, match=match)})"


def refuse_fewer(listed: int, counted: int) -> None:
    """SourceError, without URL and query, where fewer series are listed than counted."""
    if listed < counted:
        raise SourceError(f"answered {listed} series where it counts {counted}; a proxy in between shortens its answers: raise that limit")
