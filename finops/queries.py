"""Every read of costs. The only place that divides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db import connection

from finops.accounting.calendar import midnight, next_hour, period_end
from finops.accounting.money import EXACT, display, stored
from finops.accounting.ownership import sanitised
from finops.models import Setting
from finops.scope import Refused, Scope

BUCKETS = ("used", "idle", "starting", "unmeasured", "unallocated")
HOURS = ("allocated", *BUCKETS, "capacity")
SUMS = (*HOURS, "cost", *(f"{b}_cost" for b in BUCKETS), "unpriced", "priced_allocated", "priced_used", "energy_kwh")
EXPANDED = {"job": ("cluster", "namespace", "job_kind", "job")}
MOST_HOURS, MOST_DAYS = 400 * 24, 3660


@dataclass(frozen=True, slots=True)
class Row:
    """Sums of one group and period; ratios from them. None is a figure that does not exist."""

    keys: dict[str, str]
    period_start: datetime | None
    period_end: datetime | None
    sums: dict[str, Decimal | None]
    currency: str

    def __getattr__(self, name: str) -> Decimal | None:
        if name.endswith("_gpu_hours") and name.removesuffix("_gpu_hours") in SUMS:
            return self.sums[name.removesuffix("_gpu_hours")]
        if name in SUMS:
            return self.sums[name]
        raise AttributeError(name)

    def hours(self, bucket: str) -> Decimal:
        return self.sums[bucket] or Decimal(0)

    @property
    def distributed_cost(self) -> Decimal | None:
        return None if self.sums["cost"] is None else stored(Decimal(0))

    @property
    def efficiency(self) -> float | None:
        return _ratio(self.hours("used"), self.hours("used") + self.hours("idle"))

    @property
    def coverage(self) -> float | None:
        return _ratio(self.hours("used") + self.hours("idle"), self.hours("allocated") - self.hours("starting"))

    @property
    def cost_per_allocated_gpu_hour(self) -> Decimal | None:
        return self._per(BUCKETS[:4], "priced_allocated")

    @property
    def cost_per_used_gpu_hour(self) -> Decimal | None:
        return self._per(BUCKETS[:2], "priced_used")

    def _per(self, buckets: Sequence[str], hours: str) -> Decimal | None:
        below = self.hours(hours)
        if self.sums["cost"] is None or not below:
            return None
        return stored(EXACT.divide(sum((self.hours(f"{b}_cost") for b in buckets), Decimal(0)), below))

    def as_json(self) -> dict[str, object]:
        """The row as the API prints it."""
        out: dict[str, object] = dict(self.keys)
        if self.period_start and self.period_end:
            out |= {"period_start": self.period_start.isoformat(), "period_end": self.period_end.isoformat()}
        out |= {f"{name}_gpu_hours": display(self.sums[name]) for name in HOURS}
        out |= {name: display(self.sums[name]) for name in ("cost", *(f"{b}_cost" for b in BUCKETS))}
        return out | {
            "distributed_cost": display(self.distributed_cost),
            "unpriced_gpu_hours": display(self.sums["unpriced"]),
            "efficiency": self.efficiency,
            "coverage": self.coverage,
            "cost_per_allocated_gpu_hour": display(self.cost_per_allocated_gpu_hour),
            "cost_per_used_gpu_hour": display(self.cost_per_used_gpu_hour),
            "energy_kwh": None if self.sums["energy_kwh"] is None else round(float(self.sums["energy_kwh"]), 6),
            "currency": self.currency,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows by period, then cost falling; `incomplete` names windows with missing data."""

    rows: list[Row]
    total: Row
    as_of: datetime | None
    balanced: bool
    incomplete: list[dict[str, str]]
    currency: str


def _ratio(above: Decimal, below: Decimal) -> float | None:
    return float(above / below) if below else None


def setting() -> Setting:
    return Setting.objects.first() or Setting()


def zone() -> ZoneInfo:
    """The reporting zone."""
    return ZoneInfo(setting().timezone)


def currency() -> str:
    """The reporting currency."""
    return setting().currency


def costs(scope: Scope) -> Answer:
    """What the scope cost: the API's `/costs`, the pages' and the commands' one answer."""
    where = zone()
    if (scope.window.end - scope.window.start).days > MOST_DAYS:
        raise Refused(f"the window is longer than {MOST_DAYS} days; ask for less")
    group_by = tuple(dict.fromkeys(k for key in scope.group_by for k in EXPANDED.get(key, (key,))))
    rows = _rows(scope, group_by, where)
    total = _rows(Scope(scope.window, (), "total", scope.filters, scope.excludes, scope.teams), (), where)
    whole = total[0] if total else Row({}, None, None, dict.fromkeys(SUMS, None) | {h: Decimal(0) for h in HOURS}, currency())
    as_of, incomplete = _progress(scope, where)
    balanced = all(sum((row.hours(h) for row in rows), Decimal(0)) == whole.hours(h) for h in (*HOURS, "cost"))
    return Answer(rows, whole, as_of, balanced, incomplete, currency())


def _rows(scope: Scope, group_by: tuple[str, ...], where: ZoneInfo) -> list[Row]:
    params: dict[str, object] = {"start": scope.window.start, "end": scope.window.end, "zone": str(where)}
    keys = [_column(key, params) for key in group_by]
    daily = scope.step != "hour" and all(
        midnight(t.astimezone(where).date(), zone=where) == t for t in (scope.window.start, scope.window.end)
    )
    period = _period(scope.step, daily)
    table = "ledger_day" if daily else "ledger_hour"
    when = (
        "day >= (%(start)s at time zone %(zone)s)::date and day < (%(end)s at time zone %(zone)s)::date"
        if daily
        else ("hour >= %(start)s and hour < %(end)s")
    )
    extra = (
        ""
        if daily
        else (
            ", case when price is null then capacity else 0 end as unpriced, case when price is null then 0 else "
            "allocated end as priced_allocated, case when price is null then 0 else used end as priced_used"
        )
    )
    groups = ", ".join(str(n + 1) for n in range(len(keys) + 1))
    sql = f"""select {period}{"".join(f", {key}" for key in keys)}, {", ".join(f"sum({name})" for name in SUMS)}
        from (select *{extra} from {table} where {when}) l
        join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
        join finops_cluster c on c.id = l.cluster_id
        where true {_conditions(scope, params)}
        group by {groups} order by 1, sum(cost) desc nulls last{"".join(f", {n + 2}" for n in range(len(keys)))}"""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [_row(record, group_by, scope, where) for record in cursor.fetchall()]


def _period(step: str, daily: bool) -> str:
    if step == "total":
        return "null::timestamp"
    if step == "hour":
        return "l.hour"
    local = "l.day::timestamp" if daily else "l.hour at time zone %(zone)s"
    if step == "week":
        params = {"monday": 0, "sunday": 1, "saturday": 2}.get(setting().week_starts, 0)
        return f"date_trunc('week', {local} + interval '{params} days') - interval '{params} days'"
    return f"date_trunc('{step}', {local})"


def _column(key: str, params: dict[str, object]) -> str:
    if key == "cluster":
        return "c.name"
    if key.startswith("label:"):
        name = f"label{len(params)}"
        params[name] = _label(key)
        return f"coalesce(h.labels ->> %({name})s, '')"
    return f'h."{key}"'


def _label(key: str) -> str:
    return sanitised(key.removeprefix("label:"))


def _conditions(scope: Scope, params: dict[str, object]) -> str:
    clauses = []
    for negated, chosen in (("", scope.filters), ("not ", scope.excludes)):
        for key, values in chosen.items():
            name = f"values{len(params)}"
            params[name] = list(values)
            clauses.append(f"and {negated}{_column(key, params)} = any(%({name})s)")
    if scope.teams is not None:
        params["teams"] = sorted(scope.teams)
        clauses.append("and h.team = any(%(teams)s)")
    return " ".join(clauses)


def _row(record: tuple, group_by: tuple[str, ...], scope: Scope, where: ZoneInfo) -> Row:
    period, keys, sums = record[0], record[1 : 1 + len(group_by)], record[1 + len(group_by) :]
    figures: dict[str, Decimal | None] = dict(zip(SUMS, sums, strict=True))
    start, end = _bounds(period, scope.step, where)
    return Row(dict(zip(group_by, keys, strict=True)), start, end, figures, currency())


def _bounds(period: datetime | None, step: str, where: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    if period is None:
        return None, None
    if step == "hour":
        return period.astimezone(where), next_hour(period.astimezone(UTC), zone=where).astimezone(where)
    first = period.date()
    return tuple(midnight(day, zone=where).astimezone(where) for day in (first, period_end(first, step=step)))  # type: ignore[return-value]


def _progress(scope: Scope, where: ZoneInfo) -> tuple[datetime | None, list[dict[str, str]]]:
    """The earliest watermark of the clusters asked, and the windows whose data miss."""
    names = list(scope.filters.get("cluster", ()))
    with connection.cursor() as cursor:
        cursor.execute(
            """select min(mark) from (select c.id, coalesce(min(w.start) filter (where w.state <> 'done'), max(w."end")) as mark
                 from finops_cluster c left join collection_window w on w.cluster_id = c.id
                 where c.ended_at is null and (%s = '{}'::text[] or c.name = any(%s)) group by c.id) marks""",
            [names, names],
        )
        as_of = cursor.fetchone()[0]
        cursor.execute(
            """select c.name, w.start, w."end", w.state, w.problem from collection_window w join finops_cluster c on c.id = w.cluster_id
               where w.start < %s and w."end" > %s and (w.state <> 'done' or w.coverage is null and w.rows = 0)
                 and (%s = '{}'::text[] or c.name = any(%s)) order by 2, 1 limit 1000""",
            [scope.window.end, scope.window.start, names, names],
        )
        rows = cursor.fetchall()
    problems = scope.teams is None  # an error text may name what only some may see
    incomplete = [
        {
            "cluster": name,
            "start": start.astimezone(where).isoformat(),
            "end": end.astimezone(where).isoformat(),
            "state": state,
            "reason": (problem if problems else "") or ("the source has no samples" if state == "done" else ""),
        }
        for name, start, end, state, problem in rows
    ]
    return as_of.astimezone(where) if as_of else None, incomplete
