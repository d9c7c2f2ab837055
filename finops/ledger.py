"""Hours' lines, holdings and findings, and how they are stored: whole, in place of what was there."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import transaction

from finops.accounting.calendar import midnight
from finops.accounting.charge import BUCKETS, Line
from finops.book import HOLDING
from finops.findings import Finding

ROLL_UP, GROUP = ((Path(__file__).parent / "sql" / name).read_text() for name in ("roll_up_day.sql", "group_day.sql"))
SORTED = json.JSONEncoder(sort_keys=True)
MONEY = ("used", "idle", "starting", "unmeasured", "unallocated")
SUMS = (
    "allocated used idle starting unmeasured unallocated capacity cost "
    "used_cost idle_cost starting_cost unmeasured_cost unallocated_cost energy_kwh distributed_cost"
).split()


@dataclass(slots=True)
class Made:
    """What an hour came to. `rows`: sums, in the order of SUMS, by (holding, since, price)."""

    rows: dict[tuple[UUID, int, Decimal | None], list] = field(default_factory=dict)
    holdings: dict[UUID, Mapping[str, object]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, line: Line, holding: Mapping[str, object], energy: float | None) -> None:
        """Adds a line; those of one holding and price span count as one: a node that left and came back within the hour has two."""
        place, sums = (self._key(holding), line.start, line.price), _sums(line, energy)
        kept = self.rows.get(place)
        self.rows[place] = [_plus(a, b) for a, b in zip(kept, sums, strict=True)] if kept else sums

    def figure(self, place: tuple[UUID, int, Decimal | None], name: str) -> Decimal | None:
        """One column of a line."""
        found: Decimal | None = self.rows[place][SUMS.index(name)]
        return found

    def give(self, place: tuple[UUID, int, Decimal | None], amount: Decimal) -> None:
        """Moves `amount`, below 0, away from a line."""
        self.rows[place][SUMS.index("distributed_cost")] = amount

    def take(self, holding: Mapping[str, object], since: int, amount: Decimal) -> None:
        """Adds a line that bears `amount` of what others give away, and neither hours nor cost."""
        nothing: list = [Decimal(0)] * (len(MONEY) + 2)
        self.rows[self._key(holding), since, None] = [*nothing, *[None] * (len(MONEY) + 2), amount]

    def _key(self, holding: Mapping[str, object]) -> UUID:
        digest = hashlib.blake2b(SORTED.encode(holding).encode(), digest_size=16)
        key = UUID(bytes=digest.digest())
        self.holdings[key] = holding
        return key

    def total(self, name: str) -> Decimal:
        """The hour's sum of one column; what has no price adds nothing."""
        place = SUMS.index(name)
        return sum((sums[place] for sums in self.rows.values() if sums[place] is not None), Decimal(0))


def _plus(a, b):
    return a if b is None else b if a is None else a + b


def _sums(line: Line, energy: float | None) -> list:
    hours = {bucket: line.hours.get(bucket, Decimal(0)) for bucket in MONEY}
    allocated = sum((hours[b] for b in BUCKETS), Decimal(0))
    costs = {b: line.costs.get(b, Decimal(0)) for b in MONEY} if line.costs is not None else dict.fromkeys(MONEY)
    total = sum(costs.values(), Decimal(0)) if line.costs is not None else None
    return [allocated, *hours.values(), allocated + hours["unallocated"], total, *costs.values(), energy, None]


def store(cursor, made: Mapping[datetime, Made], *, cluster: int, zone: ZoneInfo, versions: Mapping[datetime, int]) -> None:
    """Replaces lines and findings of hours of one day and makes the day again.

    `made`: by hour; `versions`: of the facts each was made from.
    """
    hours = sorted(made)
    cursor.execute("delete from ledger_hour where cluster_id = %s and hour = any(%s)", [cluster, hours])
    with cursor.copy(f"copy ledger_hour (cluster_id, hour, since, holding, price, {', '.join(SUMS)}) from stdin") as copy:
        for hour in hours:
            for (key, since, price), sums in made[hour].rows.items():
                copy.write_row([cluster, hour, datetime.fromtimestamp(since, UTC), key, price, *sums])
    roll_up(cursor, cluster, hours[0].astimezone(zone).date(), zone)
    _findings(cursor, made, cluster)
    _lock(cursor, cluster, hours)
    _holdings(cursor, {key: about for each in made.values() for key, about in each.holdings.items()}, cluster)
    cursor.execute(GROUP, {"cluster": cluster, "day": hours[0].astimezone(zone).date()})
    cursor.execute(
        """update collection_window w set dirty = facts_version <> version, accounted_at = now(), capacity_gpu_hours = capacity, cost = money
           from unnest(%s::timestamptz[], %s::bigint[], %s::numeric[], %s::numeric[]) as made (hour, version, capacity, money)
           where cluster_id = %s and start = hour""",
        [hours, [versions[h] for h in hours], *([made[h].total(name) for h in hours] for name in ("capacity", "cost")), cluster],
    )


def roll_up(cursor, cluster: int, day: date, zone: ZoneInfo) -> None:
    """Makes a local day again from its hours."""
    cursor.execute("delete from ledger_day where cluster_id = %s and day = %s", [cluster, day])
    start, end = (midnight(each, zone=zone) for each in (day, day + timedelta(days=1)))
    cursor.execute(ROLL_UP, {"cluster": cluster, "day": day, "start": start, "end": end})


def _lock(cursor, cluster: int, hours: Sequence[datetime]) -> None:
    """Locks the hours' windows, all or none: others lock several as well, in an order of their own, and would wait for us while we for them."""
    while True:
        mark = transaction.savepoint()
        cursor.execute("select start from collection_window where cluster_id = %s and start = any(%s) for update skip locked", [cluster, hours])
        if len(cursor.fetchall()) == len(hours):
            return transaction.savepoint_commit(mark)
        transaction.savepoint_rollback(mark)
        time.sleep(0.02)


def _holdings(cursor, holdings: Mapping[UUID, Mapping[str, object]], cluster: int) -> None:
    """In one order, and at the very end: a day that brings the same waits until this one is stored."""
    cursor.execute("select key from holding where cluster_id = %s and key = any(%s)", [cluster, list(holdings)])
    known = {key for (key,) in cursor.fetchall()}
    names = ", ".join(f'"{name}"' for name in HOLDING)
    cursor.executemany(
        f"insert into holding (cluster_id, key, {names}) values (%s, %s{', %s' * len(HOLDING)}) on conflict do nothing",
        [
            [cluster, key, *(json.dumps(about[name]) if name == "labels" else about[name] for name in HOLDING)]
            for key, about in sorted(holdings.items())
            if key not in known
        ],
    )


def _findings(cursor, made: Mapping[datetime, Made], cluster: int) -> None:
    """What the accounting found replaces what it found before; of what the collecting found only what it touches is told anew."""
    cursor.execute("delete from finding where cluster_id = %s and hour = any(%s) and origin = 'accounting'", [cluster, list(made)])
    found = [(hour, finding) for hour, each in made.items() for finding in each.findings]
    cursor.executemany(
        """insert into finding (cluster_id, hour, kind, subject, message, evidence, teams, reach, shares, gpu_hours, cost)
           values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
        [
            [cluster, hour, f.kind, f.subject, f.message, json.dumps(f.evidence), list(f.teams), json.dumps([p.as_json() for p in f.reach]), *_touched(f)]
            for hour, f in found if f.origin == "accounting"
        ],
    )  # fmt: skip
    cursor.executemany(
        """update finding set shares = %s, gpu_hours = %s, cost = %s
           where cluster_id = %s and hour = %s and kind = %s and subject = %s and origin = 'collecting'""",
        [[*_touched(f), cluster, hour, f.kind, f.subject] for hour, f in found if f.origin == "collecting"],
    )


def _touched(finding: Finding) -> list:
    """Shares by team, and their sums; None where nothing of it is known."""
    shares = finding.shares or {}
    hours, costs = [share.gpu_hours for share in shares.values()], [share.cost for share in shares.values() if share.cost is not None]
    told = json.dumps({team: share.as_json() for team, share in shares.items()})
    return [told, sum(hours, Decimal(0)) if shares else None, sum(costs, Decimal(0)) if costs else None]
