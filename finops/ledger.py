"""An hour's lines, holdings and findings, and how they are stored: whole, in place of what was there."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from finops.accounting.calendar import midnight
from finops.accounting.charge import BUCKETS, Line
from finops.book import HOLDING
from finops.findings import Finding

ROLL_UP = (Path(__file__).parent / "sql" / "roll_up_day.sql").read_text()
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
        digest = hashlib.blake2b(json.dumps(holding, sort_keys=True).encode(), digest_size=16)
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


def store(cursor, made: Made, *, cluster: int, hour: datetime, zone: ZoneInfo, version: int) -> None:
    """Replaces the hour's lines and findings and makes its day again; `version` is that of the facts they were made from."""
    day = hour.astimezone(zone).date()
    _holdings(cursor, made, cluster)
    cursor.execute("delete from ledger_hour where cluster_id = %s and hour = %s", [cluster, hour])
    with cursor.copy(f"copy ledger_hour (cluster_id, hour, since, holding, price, {', '.join(SUMS)}) from stdin") as copy:
        for (key, since, price), sums in made.rows.items():
            copy.write_row([cluster, hour, datetime.fromtimestamp(since, UTC), key, price, *sums])
    cursor.execute("delete from ledger_day where cluster_id = %s and day = %s", [cluster, day])
    start, end = (midnight(each, zone=zone) for each in (day, day + timedelta(days=1)))
    cursor.execute(ROLL_UP, {"cluster": cluster, "day": day, "start": start, "end": end})
    _findings(cursor, made, cluster, hour)
    cursor.execute(
        """update collection_window set dirty = facts_version <> %s, accounted_at = now(), capacity_gpu_hours = %s, cost = %s
           where cluster_id = %s and start = %s""",
        [version, made.total("capacity"), made.total("cost"), cluster, hour],
    )


def _holdings(cursor, made: Made, cluster: int) -> None:
    names = ", ".join(f'"{name}"' for name in HOLDING)
    cursor.executemany(
        f"insert into holding (cluster_id, key, {names}) values (%s, %s{', %s' * len(HOLDING)}) on conflict do nothing",
        [
            [cluster, key, *(json.dumps(about[name]) if name == "labels" else about[name] for name in HOLDING)]
            for key, about in sorted(made.holdings.items())
        ],
    )


def _findings(cursor, made: Made, cluster: int, hour: datetime) -> None:
    """What the accounting found replaces what it found before; of what the collecting found only what it touches is told anew."""
    cursor.execute("delete from finding where cluster_id = %s and hour = %s and origin = 'accounting'", [cluster, hour])
    cursor.executemany(
        """insert into finding (cluster_id, hour, kind, subject, message, evidence, teams, reach, shares, gpu_hours, cost)
           values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
        [
            [cluster, hour, f.kind, f.subject, f.message, json.dumps(f.evidence), list(f.teams), json.dumps([p.as_json() for p in f.reach]), *_touched(f)]
            for f in made.findings if f.origin == "accounting"
        ],
    )  # fmt: skip
    cursor.executemany(
        """update finding set shares = %s, gpu_hours = %s, cost = %s
           where cluster_id = %s and hour = %s and kind = %s and subject = %s and origin = 'collecting'""",
        [[*_touched(f), cluster, hour, f.kind, f.subject] for f in made.findings if f.origin == "collecting"],
    )


def _touched(finding: Finding) -> list:
    """Shares by team, and their sums; None where nothing of it is known."""
    shares = finding.shares or {}
    hours, costs = [share.gpu_hours for share in shares.values()], [share.cost for share in shares.values() if share.cost is not None]
    told = json.dumps({team: share.as_json() for team, share in shares.items()})
    return [told, sum(hours, Decimal(0)) if shares else None, sum(costs, Decimal(0)) if costs else None]
