"""What a page's address says besides its scope: what its rows are, their order, and what is opened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finops.queries import EXPANDED
from finops.scope import Refused

ROWS = {"team": "Teams", "job": "Jobs", "node_pool": "Node pools", "gpu_model": "GPU models"}
NOUNS = {"team": "teams", "job": "jobs", "node_pool": "node pools", "gpu_model": "GPU models"}
HEADS = {"team": "Team", "job": "Job", "node_pool": "Node pool", "gpu_model": "GPU model"}
CHARTS = {"rows": "By team", "use": "By use"}
SORTS = ("name", "cost", "change", "allocated", "used", "efficiency", "idle", "per_used", "per_allocated")
READ = ("by", "chart", "sort", "columns", "rows")


@dataclass(frozen=True, slots=True)
class State:
    """`by`: what a row is. `sort` with `falling`: the order of rows. `columns`, `rows`: all of them, where some are left out."""

    by: str
    chart: str
    sort: str
    falling: bool
    columns: bool
    rows: bool

    @property
    def keys(self) -> tuple[str, ...]:
        """The group keys that name a row."""
        return EXPANDED.get(self.by, (self.by,))


def state_from(params: Mapping[str, Sequence[str]], *, by: str, chart: str) -> State:
    """`by`, `chart`: what stands where the address names none. Raises Refused."""
    sort = _one(params, "sort", tuple(f"{sign}{name}" for name in SORTS for sign in ("", "-")), "-cost")
    return State(
        by=_one(params, "by", tuple(ROWS), by),
        chart=_one(params, "chart", tuple(CHARTS), chart),
        sort=sort.removeprefix("-"),
        falling=sort.startswith("-"),
        columns=bool(_one(params, "columns", ("all",), "")),
        rows=bool(_one(params, "rows", ("all",), "")),
    )


def _one(params: Mapping[str, Sequence[str]], name: str, known: Sequence[str], absent: str) -> str:
    value = (params.get(name) or (absent,))[-1]
    if value != absent and value not in known:
        raise Refused(f"unknown {name} {value!r}; known: {', '.join(known)}")
    return value
