"""Every read of costs. The only place that divides.

Whole local days are read from their roll-ups, hours only at the ragged ends of a window: finops/selection.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db import connection

from finops.accounting.calendar import midnight, next_hour, period_end
from finops.accounting.money import EXACT, display, stored
from finops.models import Cluster, Setting
from finops.scope import Refused, Scope, Window
from finops.selection import BUCKETS, HOURS, SUMS, select

EXPANDED = {"job": ("cluster", "namespace", "job_kind", "job")}
MOST_DAYS = 3660
EVER = datetime(2000, 1, 1, tzinfo=UTC)
MONEY = ("cost", *(f"{b}_cost" for b in BUCKETS))
PRINTED = (*((f"{name}_gpu_hours", name) for name in HOURS), *((name, name) for name in MONEY))
NOTHING = stored(Decimal(0))

Bounds = dict[datetime | None, tuple[datetime | None, datetime | None]]


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
        """What policies moved here; above 0 is borne, below 0 given away. Nothing moved is 0, but where nothing has a price."""
        moved = self.sums["distributed_cost"]
        return NOTHING if moved is None and self.sums["cost"] is not None else moved

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
        out |= {printed: display(self.sums[name]) for printed, name in PRINTED}
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


def ratio(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    """A share or a relative change, unrounded; None where one of them is unknown or the whole is zero."""
    return None if part is None or not whole else EXACT.divide(part, whole)


def together(rows: Sequence[Row], *, keys: dict[str, str] | None = None) -> Row:
    """The sums of several rows as one row, whose ratios follow from them; of no rows the row that is zero throughout."""
    sums: dict[str, Decimal | None] = {name: None if rows or name == "energy_kwh" else Decimal(0) for name in SUMS}
    for name in SUMS:
        known = [row.sums[name] for row in rows if row.sums[name] is not None]
        if known:
            sums[name] = sum(known[1:], known[0])  # energy is a float, all else Decimal
    return Row(keys or {}, None, None, sums, rows[0].currency if rows else "")


def setting() -> Setting:
    return Setting.objects.first() or Setting()


def zone_of(chosen: Setting) -> ZoneInfo:
    """The reporting zone of settings that were read already."""
    return ZoneInfo(chosen.timezone)


def zone() -> ZoneInfo:
    """The reporting zone."""
    return zone_of(setting())


def currency() -> str:
    """The reporting currency."""
    return setting().currency


def nothing(unit: str, *, keys: dict[str, str] | None = None) -> Row:
    """Of no lines: no hours, and no money that could be told."""
    return Row(keys or {}, None, None, dict.fromkeys(SUMS, None) | {h: Decimal(0) for h in HOURS}, unit)


def cluster_names() -> list[str]:
    """The clusters that facts are collected of, in the order they were named."""
    return list(Cluster.objects.filter(ended_at=None).order_by("id").values_list("name", flat=True))


def reach(cluster: str) -> dict[str, str | None]:
    """From when and up to when the cluster's data reach, in the reporting zone."""
    scope, where = Scope(Window(EVER, EVER + timedelta(hours=1)), filters={"cluster": (cluster,)}), zone()
    found = {"begins": beginning(scope), "as_of": watermark(scope)}
    return {name: at.astimezone(where).isoformat() if at else None for name, at in found.items()}


def costs(scope: Scope, *, most: int | None = None) -> Answer:
    """What the scope cost: the API's `/costs`, the pages' and the commands' one answer; of its rows at most `most`, if given."""
    chosen = setting()
    where = ZoneInfo(chosen.timezone)
    rows = _rows(scope, chosen, most=most)
    ungrouped = not scope.group_by and scope.step == "total"
    total = rows if ungrouped else _rows(Scope(scope.window, (), "total", scope.filters, scope.excludes, scope.teams), chosen)
    whole = total[0] if total else nothing(chosen.currency)
    balanced = all(sum((row.hours(h) for row in rows), Decimal(0)) == whole.hours(h) for h in (*HOURS, "cost", "distributed_cost"))
    as_of = watermark(scope)
    return Answer(rows, whole, as_of and as_of.astimezone(where), balanced, incomplete(scope, zone=where), chosen.currency)


def rows_of(scope: Scope, *, order: str = "cost", most: int | None = None) -> list[Row]:
    """The rows of `costs` alone, for a reader who has the total: the first `most` of each in the order of finops.selection.ORDERS."""
    return _rows(scope, setting(), order=order, most=most)


def _rows(scope: Scope, chosen: Setting, *, order: str = "cost", most: int | None = None) -> list[Row]:
    if (scope.window.end - scope.window.start).days > MOST_DAYS:
        raise Refused(f"the window is longer than {MOST_DAYS} days; ask for less")
    where = ZoneInfo(chosen.timezone)
    group_by = tuple(dict.fromkeys(k for key in scope.group_by for k in EXPANDED.get(key, (key,))))
    sql, params = select(scope, group_by=group_by, zone=where, week_starts=chosen.week_starts, order=order, most=most)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        records = cursor.fetchall()
    bounds = {period: _bounds(period, scope.step, where) for period in {record[0] for record in records}}
    return [_row(record, group_by, bounds, chosen.currency) for record in records]


def _row(record: tuple, group_by: tuple[str, ...], bounds: Bounds, unit: str) -> Row:
    keys, sums = record[1 : 1 + len(group_by)], record[1 + len(group_by) :]
    figures: dict[str, Decimal | None] = dict(zip(SUMS, sums, strict=True))
    if figures["distributed_cost"] is not None and not figures["capacity"]:  # who only bears what others left free held nothing: cost 0
        figures |= dict.fromkeys(MONEY, NOTHING)
    return Row(dict(zip(group_by, keys, strict=True)), *bounds[record[0]], figures, unit)


def _bounds(period: datetime | None, step: str, where: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    if period is None:
        return None, None
    if step == "hour":
        return period.astimezone(where), next_hour(period.astimezone(UTC), zone=where).astimezone(where)
    first = period.date()
    return tuple(midnight(day, zone=where).astimezone(where) for day in (first, period_end(first, step=step)))  # type: ignore[return-value]


def watermark(scope: Scope) -> datetime | None:
    """Up to where the data of every cluster asked reach, a backfill behind them left aside; None where nothing was collected."""
    open_since = "case when w.state = 'partial' then w.collected_until else w.start end"
    return _mark(f"coalesce(min({open_since}) filter (where w.state <> 'done' and not w.backfill), max(w.\"end\"))", "min", scope)


def beginning(scope: Scope) -> datetime | None:
    """From where on every cluster asked has data, as far as its backfill has come; None where nothing was collected."""
    return _mark("coalesce(max(w.\"end\") filter (where w.state <> 'done' and w.backfill), min(w.start))", "max", scope)


def _mark(of_cluster: str, of_all: str, scope: Scope) -> datetime | None:
    names = list(scope.filters.get("cluster", ()))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""select {of_all}(mark) from (select {of_cluster} as mark
                 from finops_cluster c left join collection_window w on w.cluster_id = c.id
                 where c.ended_at is null and (%s = '{{}}'::text[] or c.name = any(%s)) group by c.id) marks""",
            [names, names],
        )
        return cursor.fetchone()[0]


def incomplete(scope: Scope, *, zone: ZoneInfo) -> list[dict[str, str]]:
    """The windows whose data miss."""
    names = list(scope.filters.get("cluster", ()))
    with connection.cursor() as cursor:
        cursor.execute(
            """select c.name, w.start, w."end", w.state, w.problem from collection_window w join finops_cluster c on c.id = w.cluster_id
               where w.start < %s and w."end" > %s and (w.state <> 'done' or w.coverage is null and w.rows = 0)
                 and (%s = '{}'::text[] or c.name = any(%s)) order by 2, 1 limit 1000""",
            [scope.window.end, scope.window.start, names, names],
        )
        rows = cursor.fetchall()
    problems = scope.teams is None  # an error text may name what only some may see
    return [
        {
            "cluster": name,
            "start": start.astimezone(zone).isoformat(),
            "end": end.astimezone(zone).isoformat(),
            "state": state,
            "reason": (problem if problems else "") or ("the source has no samples" if state == "done" else ""),
        }
        for name, start, end, state, problem in rows
    ]
