"""Two local days in the ledger, the second of 25 hours: a change of price, rounding, moved cost, hours without price, hostile names.

Europe/Zurich, 24 and 25 October 2026, cluster lab. Costs by hand:

    24th  10:00Z  fraud/velocity  2.50 × 0.3333333333 = 0.83333333325, in the ledger 0.8333333333
                  vision/defects  2.50 × 0.6666666667 = 1.66666666675, in the ledger 1.6666666667; together one GPU-hour, 2.50
    25th  00:00Z  fraud/velocity  2.50 × (0.25 used, 0.25 idle, 0.25 starting, 0.25 unmeasured) = 2.50     the first two o'clock
          01:00Z  fraud/velocity  3.00 × 1 used = 3.00                                                     the second one
                  nobody          2.50 × 0.5 = 1.25, then 3.00 × 0.5 = 1.50; both are moved to vision: 2.75
          12:00Z  HOSTILE         1.00 × 1 used = 1.00; and 1 hour without a price, 0.5 used and 0.5 idle

    24th 2.50, 25th 9.25, together 11.75; 6 GPU-hours, 1 of them unpriced.
"""

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from finops import queries
from finops.accounting.calendar import midnight
from finops.models import Cluster, Setting
from reports.exports import files, source
from reports.exports.question import Export, export_from

ZONE = ZoneInfo("Europe/Zurich")
HOSTILE, FORMULA, QUOTED = "-risk", "=cmd|' /C calc'!A0", 'a "quoted",\nbroken; name'
FREE = {"team": "unallocated"}
VELOCITY = {"team": "fraud", "cost_center": "4711", "namespace": "fraud", "job_kind": "Job", "job": "velocity", "pod": "velocity-0"}
DEFECTS = {"team": "vision", "namespace": "vision", "job_kind": "Job", "job": "defects", "pod": "defects-0"}
RISK = {"team": HOSTILE, "namespace": "\tns", "job_kind": "@Job", "job": FORMULA, "pod": QUOTED, "user": "+1"}
BEARER = {"team": "vision", "gpu_model": ""}
# hour, minute it begins, holding, price, hours (used, idle, starting, unmeasured, unallocated), their money, moved
LINES = [
    ("2026-10-24T10", 0, VELOCITY, "2.5", ".3333333333 0 0 0 0", ".8333333333 0 0 0 0", None),
    ("2026-10-24T10", 0, DEFECTS, "2.5", ".6666666667 0 0 0 0", "1.6666666667 0 0 0 0", None),
    ("2026-10-25T00", 0, VELOCITY, "2.5", ".25 .25 .25 .25 0", ".625 .625 .625 .625 0", None),
    ("2026-10-25T01", 0, VELOCITY, "3", "1 0 0 0 0", "3 0 0 0 0", None),
    ("2026-10-25T01", 0, FREE, "2.5", "0 0 0 0 .5", "0 0 0 0 1.25", "-1.25"),
    ("2026-10-25T01", 30, FREE, "3", "0 0 0 0 .5", "0 0 0 0 1.5", "-1.5"),
    ("2026-10-25T01", 0, BEARER, None, "0 0 0 0 0", None, "2.75"),
    ("2026-10-25T12", 0, RISK, "1", "1 0 0 0 0", "1 0 0 0 0", None),
    ("2026-10-25T12", 30, RISK, None, ".5 .5 0 0 0", None, None),
]
ROLL_UP = (Path(__file__).parents[4] / "finops/sql/roll_up_day.sql").read_text()
TEXTS = 'team department cost_center namespace job_kind job run pod uid "user" node node_pool instance_type gpu_model capacity_type queue'.split()


@pytest.fixture
def two_days(db) -> None:
    Setting.objects.create(currency="CHF", timezone=ZONE.key)
    cluster = Cluster.objects.create(name="lab", source={}).pk
    with connection.cursor() as cursor:
        cursor.execute("select ensure_month('2026-10-01')")
        keys = [_hold(cursor, cluster, about) for _, _, about, *_ in LINES]
        for key, (hour, minute, _, price, hours, money, moved) in zip(keys, LINES, strict=True):
            at = datetime.fromisoformat(f"{hour}:00+00:00")
            amounts = [Decimal(text) for text in hours.split()]
            costs = [Decimal(text) for text in money.split()] if money else [None] * 5
            held, cost = sum(amounts[:4]), sum(costs) if money else None
            values = [cluster, at, at + timedelta(minutes=minute), key, price, held, *amounts, held + amounts[4], cost, *costs, None, moved]
            cursor.execute(f"insert into ledger_hour values ({', '.join(['%s'] * len(values))})", values)
        for day in (date(2026, 10, 24), date(2026, 10, 25)):
            bounds = {"start": midnight(day, zone=ZONE), "end": midnight(day + timedelta(days=1), zone=ZONE)}
            cursor.execute(ROLL_UP, {"cluster": cluster, "day": day} | bounds)


def _hold(cursor, cluster: int, about: dict[str, str]) -> UUID:
    named = {"node": "n1", "node_pool": "a100", "gpu_model": "NVIDIA A100-SXM4-80GB"} | {"user" if k == '"user"' else k: v for k, v in about.items()}
    key = UUID(int=abs(hash(json.dumps(named))) % 2**128)
    labels = {"app": named["job"]} if "job" in named else {}
    cursor.execute(
        f"insert into holding (cluster_id, key, {', '.join(TEXTS)}, labels) values (%s, %s{', %s' * len(TEXTS)}, %s) on conflict do nothing",
        [cluster, key, *(named.get(text.strip('"'), "") for text in TEXTS), json.dumps(labels)],
    )
    return key


@pytest.fixture
def asked(two_days):
    """words → what they ask for, of both days."""

    def export(**words: str) -> Export:
        params = {"start": ["2026-10-24"], "end": ["2026-10-26"], "format": ["csv"], **{name: [text] for name, text in words.items()}}
        return export_from(params, zone=queries.zone(), now=datetime(2026, 11, 2, tzinfo=UTC), currency=queries.currency())

    return export


def csv_rows(export: Export) -> list[dict[str, str]]:
    text = b"".join(files.csv_chunks(export, source.parts(export))).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))
