"""Stored facts → the hour's ledger, one hour per transaction."""

import hashlib
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import InterfaceError, OperationalError, connection, transaction

from finops import facts
from finops.accounting import ownership, rates
from finops.accounting.charge import BUCKETS, Hold, Line, Pool, charge
from finops.accounting.leases import lease
from finops.models import Cluster, ExchangeRate, Rate, Setting, TeamRule

ROLL_UP = (Path(__file__).parent / "sql" / "roll_up_day.sql").read_text()
HOLDING = (
    "team department cost_center namespace job_kind job run pod uid user node node_pool instance_type gpu_model capacity_type queue labels"
).split()
MONEY = ("used", "idle", "starting", "unmeasured", "unallocated")
LEDGER = (
    "cluster_id hour since holding price allocated used idle starting unmeasured unallocated capacity cost "
    "used_cost idle_cost starting_cost unmeasured_cost unallocated_cost energy_kwh"
).split()


def account(cluster: Cluster, *, start: datetime | None = None, end: datetime | None = None) -> int:
    """Brings the ledger of `cluster` up to date: hours of the window, else every hour whose facts changed. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            """select start, "end" from collection_window where cluster_id = %s and collected_until is not null
               and (case when %s::timestamptz is null then dirty else start >= %s and start < %s end) order by start""",
            [cluster.id, start, start, end],
        )
        hours = cursor.fetchall()
    book, done = Book(cluster), 0
    problems: list[Exception] = []
    for begin, until in hours:
        try:
            done += book.hour(begin, until, anyway=start is not None)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # one hour that cannot be charged keeps no other back; it stays dirty
            error.add_note(f"cluster {cluster.name}, {begin.isoformat()}")
            problems.append(error)
    if problems:
        raise problems[0]
    return done


class Book:
    """What every hour of one cluster is charged by: settings, rules and rates, read once."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        setting = Setting.objects.first() or Setting()
        self.zone = ZoneInfo(setting.timezone)
        entries = list(TeamRule.objects.order_by("position"))
        self.rules = [ownership.Rule(r.kind, r.name, r.label, r.match, r.start, r.end) for r in entries if r.kind != "describe"]
        self.about = {r.name: r for r in entries if r.cost_center or r.department}
        self.rates = [rate for row in Rate.objects.all() for rate in self._in_currency(row, setting.currency)]

    def _in_currency(self, row: Rate, currency: str) -> list[rates.Rate]:
        rate = rates.Rate(row.price, row.gpu_model, row.cluster, row.node_pool, row.instance_type, row.capacity_type, row.start, row.end)
        if row.currency == currency:
            return [rate]
        exchange = list(ExchangeRate.objects.filter(currency=row.currency).order_by("start").values_list("start", "rate"))
        if not exchange:
            raise ValueError(f"rate in {row.currency} has no exchange rate to {currency}; add one under exchange_rates")
        return rates.converted(rate, exchange)

    def hour(self, start: datetime, end: datetime, *, anyway: bool) -> bool:
        """Makes the hour's lines from its facts and stores them with the day's roll-up; False where another was faster."""
        with transaction.atomic(), connection.cursor() as cursor:
            # Hours of one day share its roll-up: one writer per cluster and day.
            day = start.astimezone(self.zone).date().toordinal()
            cursor.execute("select pg_advisory_xact_lock(%s, %s)", [self.cluster.id, day])
            cursor.execute(
                "select dirty, facts_version, collected_until from collection_window where cluster_id = %s and start = %s",
                [self.cluster.id, start],
            )
            dirty, version, collected = cursor.fetchone()
            if not dirty and not anyway:
                return False
            found = facts.read(cursor, self.cluster.id, start, end)
            rows, holdings = self._lines(found, int(start.timestamp()), int(min(end, collected).timestamp()))
            self._store(cursor, start, rows, holdings, version=version)
        return True

    def _lines(self, found: facts.Found, start: int, end: int):
        rows: list[list] = []
        holdings: dict[UUID, dict] = {}
        quarters = [(q, min(q + 900, end)) for q in range(start, end, 900)]
        for node in found.nodes:
            alive = max(start, node.start), min(end, node.end)
            if alive[1] <= alive[0]:
                continue
            for model, boards in node.models.items():
                holds = self._holds(found, node, model, alive)
                prices = self._prices(node, model, alive)
                lines, _ = charge(Pool(boards, *alive), list(holds.values()), prices, quarters)
                for line in lines:
                    key, about = self._holding(found, node, model, line)
                    holdings[key] = about
                    rows.append(self._row(datetime.fromtimestamp(start, UTC), key, line, found.energy.get((line.id, model))))
        return _merged(rows), holdings

    def _holds(self, found: facts.Found, node: facts.Node, model: str, alive: tuple[int, int]) -> dict[str, Hold]:
        holds = {}
        for held in found.held.get(node.name, []):
            span, gpus = lease(held.seen), node.unit_share(held.resource) * held.quantity
            part = found.on_model(held, model, node)
            if span is None or not part or span.end <= alive[0] or span.start >= alive[1]:
                continue
            holds[held.id] = Hold(
                held.id,
                gpus * part,
                max(int(span.start), alive[0]),
                min(max(int(span.started), alive[0]), alive[1]),
                min(int(span.end), alive[1]),
                found.measured.get((held.id, model), {}),
                found.used.get((held.id, model), {}),
                None if span.seen else held.seen.last_held,
            )
        return holds

    def _prices(self, node: facts.Node, model: str, alive: tuple[int, int]) -> list[tuple[int, int, Decimal | None]]:
        asked = rates.Asked(self.cluster.name, node.pool, node.instance_type, node.capacity_type, model)
        begin, until = (datetime.fromtimestamp(t, UTC) for t in alive)
        spans = rates.in_force(self.rates, asked, start=begin, end=until)
        return [(int(s.start.timestamp()), int(s.end.timestamp()), s.price) for s in spans]

    def _holding(self, found: facts.Found, node: facts.Node, model: str, line: Line) -> tuple[UUID, dict]:
        about = dict.fromkeys(HOLDING, "") | {
            "node": node.name,
            "node_pool": node.pool,
            "instance_type": node.instance_type,
            "gpu_model": model,
            "capacity_type": node.capacity_type,
            "labels": {},
        }
        if line.id:
            pod = found.pods[line.id]
            claim = ownership.Claim(pod.namespace, pod.labels, pod.annotations, pod.namespace_labels, pod.queue, node.pool)
            about |= {
                "namespace": pod.namespace,
                "job_kind": pod.job_kind,
                "job": pod.job,
                "run": pod.run,
                "pod": pod.pod,
                "uid": pod.uid,
                "user": pod.user,
                "queue": pod.queue,
                "labels": pod.labels,
            }
            about["team"] = ownership.team(claim, self.rules, at=datetime.fromtimestamp(line.start, UTC))
        else:
            about["team"] = ownership.UNALLOCATED
        if described := self.about.get(about["team"]):
            about |= {"department": described.department, "cost_center": described.cost_center}
        digest = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=16)
        return UUID(bytes=digest.digest()), about

    def _row(self, hour: datetime, key: UUID, line: Line, energy: float | None) -> list:
        hours = {bucket: line.hours.get(bucket, Decimal(0)) for bucket in MONEY}
        allocated = sum((hours[b] for b in BUCKETS), Decimal(0))
        costs = {b: line.costs.get(b, Decimal(0)) for b in MONEY} if line.costs is not None else dict.fromkeys(MONEY)
        total = sum(costs.values(), Decimal(0)) if line.costs is not None else None
        return [
            self.cluster.id,
            hour,
            datetime.fromtimestamp(line.start, UTC),
            key,
            line.price,
            allocated,
            *hours.values(),
            allocated + hours["unallocated"],
            total,
            *costs.values(),
            energy,
        ]

    def _store(self, cursor, hour: datetime, rows: list[list], holdings: dict[UUID, dict], *, version: int) -> None:
        zone, cluster = str(self.zone), self.cluster.id
        day = hour.astimezone(self.zone).date()
        cursor.execute("select ensure_month(%s), ensure_month(%s)", [hour.date(), day])
        names = ", ".join(f'"{name}"' for name in HOLDING)
        cursor.executemany(
            f"insert into holding (cluster_id, key, {names}) values (%s, %s{', %s' * len(HOLDING)}) on conflict do nothing",
            [
                [cluster, key, *(json.dumps(v) if isinstance(v, dict) else v for v in about.values())]
                for key, about in sorted(holdings.items())
            ],
        )
        cursor.execute("delete from ledger_hour where cluster_id = %s and hour = %s", [cluster, hour])
        with cursor.copy(f"copy ledger_hour ({', '.join(LEDGER)}) from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute("delete from ledger_day where cluster_id = %s and day = %s", [cluster, day])
        cursor.execute(ROLL_UP, {"cluster": cluster, "zone": zone, "hours": [hour]})
        cost = sum((row[LEDGER.index("cost")] or Decimal(0) for row in rows), Decimal(0))
        cursor.execute(
            """update collection_window set dirty = facts_version <> %s, accounted_at = now(), capacity_gpu_hours = %s, cost = %s
               where cluster_id = %s and start = %s""",
            [version, sum((row[LEDGER.index("capacity")] for row in rows), Decimal(0)), cost, cluster, hour],
        )


def _merged(rows: list[list]) -> list[list]:
    """Rows of one holding and price span added up: a node that left and came back within the hour has two."""
    first, last = LEDGER.index("allocated"), LEDGER.index("unallocated_cost")
    found: dict[tuple, list] = {}
    for row in rows:
        key = (row[2], row[3])
        if key in found:
            kept = found[key]
            kept[first : last + 1] = [
                None if a is None else a + b for a, b in zip(kept[first : last + 1], row[first : last + 1], strict=True)
            ]
        else:
            found[key] = row
    return list(found.values())
