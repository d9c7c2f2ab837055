"""What a request for the overview asks: its scope, what its reader may see of it, and the page's own state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest

from finops import queries
from finops.scope import Refused, Scope, Window
from reports.access import narrow
from reports.pages.state import READ, State, state_from
from reports.params import Params, scope_from
from reports.windows import TO_DATE, hour_of

DEFAULT_WINDOW = "7d"


@dataclass(frozen=True)
class Question:
    """`team`: the one team it is about, if any; `as_of`: up to where its data reach."""

    scope: Scope
    state: State
    params: Params
    team: str | None
    as_of: datetime | None
    zone: ZoneInfo

    @property
    def word(self) -> str:
        """What its window is called; empty where its bounds are named."""
        word = "" if self.params.get("start") else (self.params.get("window") or [DEFAULT_WINDOW])[-1]
        return "" if "," in word else word

    @property
    def job(self) -> str:
        """The one job it is about, as tables name it; empty where there is none."""
        jobs, namespaces = (self.scope.filters.get(key, ()) for key in ("job", "namespace"))
        return f"{namespaces[0]}/{jobs[0]}" if len(jobs) == len(namespaces) == 1 and jobs[0] else ""

    @property
    def usual(self) -> str:
        """What a row is where the address does not say."""
        return "job" if self.team is not None else "team"


def params_of(request: HttpRequest) -> dict[str, Sequence[str]]:
    """Every parameter that has a value; an empty field of a form is none."""
    return {name: values for name, values in request.GET.lists() if any(values)}


def question(request: HttpRequest, params: Params, *, zone: ZoneInfo, now: datetime) -> Question:
    """Raises Refused, one line that names the parameter."""
    weeks = queries.setting().week_starts if any("week" in word for word in params.get("window", ())) else "monday"
    asked = scope_from(params, zone=zone, now=now, window=DEFAULT_WINDOW, also=READ, week_starts=weeks)
    if asked.group_by or asked.step != "total":
        raise Refused("this page takes by=team, job, node_pool or gpu_model; group_by and step are for the API")
    as_of = queries.watermark(asked)
    teams = asked.filters.get("team", ())
    team = teams[0] if len(teams) == 1 else None
    state = state_from(params, by="job" if team is not None else "team", chart="use" if team is not None else "rows")
    if set(TO_DATE) & set(params.get("window", ())):
        asked = _cut(asked, as_of, zone)
    return Question(narrow(asked, user=request.user), state, params, team, as_of, zone)


def _cut(scope: Scope, as_of: datetime | None, zone: ZoneInfo) -> Scope:
    """The month up to the last hour there is, so that it is compared with as much of the month before."""
    if as_of is None or not scope.window.start < as_of < scope.window.end:
        return scope
    end = hour_of(as_of, zone)
    return replace(scope, window=Window(scope.window.start, end)) if end > scope.window.start else scope
