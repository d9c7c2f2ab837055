"""What is asked for: a scope, a format, a grain and a basis, out of the words of an address, a command or an order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from finops.queries import MOST_DAYS
from finops.scope import Refused, Scope
from reports.exports.basis import BASES
from reports.exports.charges import Shape
from reports.exports.columns import DETAIL, Column, plain
from reports.exports.focus import columns as focus
from reports.exports.periods import GRAINS
from reports.params import scope_from

FORMATS = ("csv", "xlsx", "parquet", "focus-csv", "focus-parquet")
OWN = ("format", "grain", "basis", "focus_version")

Params = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Export:
    """`version`: of FOCUS where the format is one of its, else ""."""

    scope: Scope
    format: str
    grain: str
    basis: str
    version: str
    zone: ZoneInfo
    currency: str

    @property
    def shape(self) -> Shape:
        if self.version:
            return Shape(focus.KEYS, self.grain, self.basis, grouped=True, by_account=True, harmless=False)
        chosen = bool(self.scope.group_by)
        keys = tuple(self.scope.group_by) or DETAIL
        return Shape(keys, self.grain, self.basis, grouped=chosen, by_account=not chosen, harmless=self.format in ("csv", "xlsx"))

    @property
    def columns(self) -> list[Column]:
        if self.version:
            return focus.columns(self.version, currency=self.currency, basis=self.basis)
        return plain(self.shape.keys, currency=self.currency)


def export_from(params: Params, *, zone: ZoneInfo, now: datetime, currency: str, week_starts: str = "monday") -> Export:
    """`params`: name → every value given. Raises Refused, one line that names the parameter."""
    scope = scope_from(params, zone=zone, now=now, also=OWN, week_starts=week_starts)
    chosen = _chosen(params, "format", FORMATS, "")
    version = _chosen(params, "focus_version", focus.VERSIONS, focus.VERSIONS[0])
    grain = _chosen(params, "grain", GRAINS, "day")
    basis = _chosen(params, "basis", tuple(BASES), "allocated")
    of_focus = chosen.startswith("focus-")
    if (scope.window.end - scope.window.start).days > MOST_DAYS:
        raise Refused(f"the window is longer than {MOST_DAYS} days; ask for less")
    if scope.step != "total":
        raise Refused("step is not known to an export; name the grain: hour, day or month")
    if of_focus and scope.group_by:
        raise Refused("group_by is not known to FOCUS, whose rows are of jobs; leave it out, or ask for csv, xlsx or parquet")
    if not of_focus and any(params.get("focus_version", ())):
        raise Refused("focus_version goes with the formats focus-csv and focus-parquet")
    keys = tuple(dict.fromkeys(part for key in scope.group_by for part in (JOB if key == "job" else (key,))))
    return Export(replace(scope, group_by=keys), chosen, grain, basis, version if of_focus else "", zone, currency)


JOB = ("cluster", "namespace", "job_kind", "job")  # a job is no name alone, as in the API


def _chosen(params: Params, name: str, known: Sequence[str], default: str) -> str:
    value = (params.get(name) or (default,))[-1] or default
    if value not in known:
        raise Refused(f"{name} {value!r} is not known; known: {', '.join(known)}" if value else f"{name} is missing: {', '.join(known)}")
    return value
