"""A scope as the one select over the ledger: whole local days from their roll-ups, ragged ends from their hours.

A day's roll-up is the exact sum of its hours, and a day's groups are the exact sums of its lines, so that every way gives the same
figures to the last digit. Groups answer what asks for nothing finer than they are; a day that has none answers line by line.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from finops.accounting.calendar import local_day, midnight
from finops.accounting.ownership import sanitised
from finops.scope import Scope, Window

BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")
HOURS = ("allocated", *BUCKETS, "capacity")
STORED = (*HOURS, "cost", *(f"{b}_cost" for b in BUCKETS), "distributed_cost")
PRICED = {
    "unpriced": "case when price is null then capacity else 0 end",
    "priced_allocated": "case when price is null then 0 else allocated end",
    "priced_used": "case when price is null then 0 else used end",
}
SUMS = (*STORED, *PRICED, "energy_kwh")
WEEK = {"monday": 0, "sunday": 1, "saturday": 2}  # days from the week's first day to a Monday
GROUPED = "team department cost_center namespace job_kind node_pool gpu_model capacity_type queue".split()
ORDERS = {
    "cost": "coalesce(sum(cost), case when sum(capacity) = 0 then 0 end)",  # who held nothing paid nothing
    "idle and unallocated cost": "coalesce(sum(idle_cost), 0) + coalesce(sum(unallocated_cost), 0)",
}

Params = dict[str, object]


def whole_days(window: Window, *, zone: ZoneInfo) -> tuple[date, date]:
    """[first, last) local days that lie in the window; first is not before last where there are none."""
    first, last = local_day(window.start, zone=zone), local_day(window.end, zone=zone)
    return first if midnight(first, zone=zone) == window.start else first + timedelta(days=1), last


def select(
    scope: Scope, *, group_by: Sequence[str], zone: ZoneInfo, week_starts: str, order: str = "cost", most: int | None = None
) -> tuple[str, Params]:
    """Statement and parameters; a record is period (local, of a step of hours UTC), keys, then SUMS."""
    params: Params = {"most": most}
    keys = [column(key, params) for key in group_by]
    places = [str(n + 2) for n in range(len(keys))]
    sql = f"""select {_period(scope.step, week_starts)}{"".join(f", {key}" for key in keys)}, {", ".join(f"sum({name})" for name in SUMS)}
        from {_lines(scope, group_by, zone, params)}
        where true {conditions(scope, params)}
        group by {", ".join(("1", *places))} order by {", ".join(("1", f"{ORDERS[order]} desc nulls last", *places))} limit %(most)s"""
    return sql, params


def select_names(scope: Scope, *, keys: Sequence[str], columns: Sequence[str], zone: ZoneInfo) -> tuple[str, Params]:
    """Statement and parameters; a record is the keys, then an array of the values of each column, the empty one left out."""
    params: Params = {}
    places = [column(key, params) for key in keys]
    arrays = [f"coalesce(array_agg(distinct {name}) filter (where {name} <> ''), '{{}}')" for name in (column(key, params) for key in columns)]
    sql = f"""select {", ".join((*places, *arrays))} from {_lines(scope, (*keys, *columns), zone, params)}
        where true {conditions(scope, params)} group by {", ".join(str(n + 1) for n in range(len(keys)))}"""
    return sql, params


def _lines(scope: Scope, keys: Sequence[str], zone: ZoneInfo, params: Params) -> str:
    """Lines with whose they are (h) and the cluster (c), from groups of days where these tell as much as is asked."""
    joined = "join finops_cluster c on c.id = h.cluster_id"
    first, last = whole_days(scope.window, zone=zone)
    if scope.step == "hour" or first >= last or {*keys, *scope.filters, *scope.excludes} - {"cluster", *GROUPED}:
        return f"({_source(scope, zone, params)}) l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding {joined}"
    names = ", ".join((*GROUPED, *SUMS))
    ungrouped = """(select c.id, day from finops_cluster c, generate_series(%(first)s::date, %(last)s::date - 1, interval '1 day') days(day)
        where not exists (select from grouped_day g where g.cluster_id = c.id and g.day = days.day::date)) u"""
    parts = [
        f"select cluster_id, day::timestamp as local, {names} from ledger_group where day >= %(first)s and day < %(last)s",
        f"""select l.cluster_id, l.day::timestamp, {names} from {ungrouped} join ledger_day l on l.cluster_id = u.id and l.day = u.day::date
        join holding h on h.cluster_id = l.cluster_id and h.key = l.holding""",
    ]
    params |= {"first": first, "last": last}
    if ends := _ends(scope.window, zone, first, last):
        parts.append(f"""select l.cluster_id, l.local, {names} from ({_hours(ends, params)}) l
        join holding h on h.cluster_id = l.cluster_id and h.key = l.holding""")
    return f"({' union all '.join(parts)}) h {joined}"


def _ends(window: Window, zone: ZoneInfo, first: date, last: date) -> list[tuple[datetime, datetime, date | None]]:
    """What of the window lies before and after its whole days, each with its local day."""
    ends = [(window.start, midnight(first, zone=zone), first - timedelta(days=1)), (midnight(last, zone=zone), window.end, last)]
    return [part for part in ends if part[0] < part[1]]


def _source(scope: Scope, zone: ZoneInfo, params: Params) -> str:
    """The rows of the window, each with its `local` time; a step of hours knows no roll-ups."""
    start, end = scope.window.start, scope.window.end
    first, last = whole_days(scope.window, zone=zone)
    if scope.step == "hour":
        return _hours([(start, end, None)], params)
    if first >= last:
        # Less than two days: cut at midnight, each part has its day.
        middle = midnight(last, zone=zone)
        return _hours([part for part in ((start, min(end, middle), local_day(start, zone=zone)), (max(start, middle), end, last)) if part[0] < part[1]], params)
    names = ", ".join(SUMS)
    params |= {"first": first, "last": last}
    days = f"select cluster_id, holding, day::timestamp as local, {names} from ledger_day where day >= %(first)s and day < %(last)s"
    ragged = _ends(scope.window, zone, first, last)
    return f"{days} union all {_hours(ragged, params)}" if ragged else days


def _hours(spans: Sequence[tuple[datetime, datetime, date | None]], params: Params) -> str:
    """Hours of [begin, until), each span with its local day; None where every hour stands for itself."""
    names = ", ".join((*STORED, *(f"{case} as {name}" for name, case in PRICED.items()), "energy_kwh"))
    parts = []
    for begin, until, day in spans:
        start, end, local = (f"{name}{len(params)}" for name in ("start", "end", "day"))
        params |= {start: begin.astimezone(UTC), end: until.astimezone(UTC), local: day}
        parts.append(
            f"select cluster_id, holding, {'hour' if day is None else f'%({local})s::date::timestamp'} as local, {names} from ledger_hour"
            f" where cluster_id = any(array(select id from finops_cluster)) and hour >= %({start})s and hour < %({end})s"
        )  # keys begin with the cluster: naming every one lets the index find the hours
    return " union all ".join(parts)


def _period(step: str, week_starts: str) -> str:
    if step == "total":
        return "null::timestamp"
    if step == "hour":
        return "local"
    if step == "week":
        shift = f"interval '{WEEK.get(week_starts, 0)} days'"
        return f"date_trunc('week', local + {shift}) - {shift}"
    return f"date_trunc('{step}', local)"


def column(key: str, params: Params) -> str:
    if key == "cluster":
        return "c.name"
    if key.startswith("label:"):
        name = f"label{len(params)}"
        params[name] = sanitised(key.removeprefix("label:"))
        return f"coalesce(h.labels ->> %({name})s, '')"
    return f'h."{key}"'


def conditions(scope: Scope, params: Params) -> str:
    clauses = []
    for negated, chosen in (("", scope.filters), ("not ", scope.excludes)):
        for key, values in chosen.items():
            name = f"values{len(params)}"
            params[name] = list(values)
            clauses.append(f"and {negated}{column(key, params)} = any(%({name})s)")
    if scope.teams is not None:
        params["teams"] = sorted(scope.teams)
        clauses.append("and h.team = any(%(teams)s)")
    return " ".join(clauses)
