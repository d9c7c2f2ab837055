"""A company of 60 GPUs with a ledger up to a given hour: 70 days, some 80 lines an hour. Realistic in shape, made of nothing."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection, transaction

from finops.accounting.calendar import local_day, midnight
from finops.models import Cluster, Setting

ZONE = ZoneInfo("Europe/Zurich")
DAYS = 70
ROLL_UP = (Path(__file__).parents[3] / "finops/sql/roll_up_day.sql").read_text()


@dataclass(frozen=True)
class Pool:
    name: str
    model: str
    gpus: int
    price: str
    capacity_type: str


@dataclass(frozen=True)
class Job:
    """`pods` of `share` GPUs each, busy by `used`.

    `when`: always, work (weekdays 7–19), sweep (five days ago) or new (since twelve days ago).
    """

    team: str
    namespace: str
    kind: str
    name: str
    pool: str
    pods: int
    share: str
    used: str
    when: str = "always"


POOLS = (
    Pool("v100-od", "Tesla V100-SXM2-16GB", 36, "1.40", "on-demand"),
    Pool("a100-mig", "NVIDIA A100-SXM4-40GB", 4, "2.40", "on-demand"),
    Pool("t4-inf", "Tesla T4", 12, "0.60", "on-demand"),
    Pool("v100-spot", "Tesla V100-SXM2-16GB", 8, "0.50", "spot"),
)
JOBS = (
    Job("fraud", "fraud", "PyTorchJob", "txn-graph-embed", "v100-od", 12, "1", "0.50"),
    Job("fraud", "fraud", "Notebook", "nb-mkeller", "v100-od", 2, "1", "0.02"),
    Job("fraud", "fraud", "Notebook", "nb-graph-lab", "v100-od", 2, "1", "0.04"),
    Job("fraud", "fraud", "Notebook", "nb-a100-explore", "a100-mig", 1, "1", "0.03"),
    Job("fraud", "fraud", "InferenceService", "card-embed-serve", "a100-mig", 2, "0.5", "0.27"),
    Job("fraud", "fraud", "Job", "velocity-sweep", "v100-spot", 6, "1", "0.31", "sweep"),
    Job("fraud", "fraud", "Notebook", "nb-lrossi", "v100-od", 1, "1", "0.02", "new"),
    Job("scoring", "scoring", "PyTorchJob", "score-train", "v100-od", 6, "1", "0.82"),
    Job("scoring", "scoring", "InferenceService", "rt-scorer", "t4-inf", 8, "0.25", "0.33"),
    Job("vision", "vision", "PyTorchJob", "defect-retrain", "v100-od", 5, "1", "0.46", "work"),
    Job("vision", "vision", "CronJob", "augment", "v100-spot", 2, "1", "0.62", "work"),
    Job("nlp", "nlp", "PyTorchJob", "summarise-letters", "v100-od", 3, "1", "0.42"),
    Job("nlp", "nlp", "Notebook", "nb-notes", "a100-mig", 2, "0.25", "0.02", "work"),
    Job("claims", "claims", "InferenceService", "doc-serve", "t4-inf", 12, "0.25", "0.31"),
    Job("search", "search", "InferenceService", "embed-serve", "t4-inf", 12, "0.25", "0.50"),
    Job("pricing", "pricing", "InferenceService", "quote-serve", "t4-inf", 6, "0.25", "0.52"),
    Job("platform", "platform", "Job", "<img src=x onerror=alert(1)>", "v100-od", 1, "0.5", "0.21", "work"),
    Job("unassigned", "sandbox", "Pod", "=cmd-with-a-very-long-name-that-somebody-made-by-hand-0042", "t4-inf", 2, "0.25", "0.11"),
)
BUSY = {
    "always": "true",
    "work": "extract(isodow from local) < 6 and extract(hour from local) between 7 and 18",
    "sweep": "local::date = %(sweep)s",
    "new": "local::date > %(sweep)s - 7",
}
COLUMNS = (
    "cluster_id key team department cost_center namespace job_kind job run pod uid "
    '"user" node node_pool instance_type gpu_model capacity_type queue labels'
).split()
LINES = """
insert into ledger_hour
select %(cluster)s, hour, hour, key, price, used + idle + starting + unmeasured, used, idle, starting, unmeasured, 0,
    used + idle + starting + unmeasured, (used + idle + starting + unmeasured) * price,
    used * price, idle * price, starting * price, unmeasured * price, 0, 0
from (
    select hour, key, price,
        case when starts then 0 when silent then 0 else round(share * least(busy * (0.7 + 0.6 * chance), 1), 4) end as used,
        case when starts or silent then 0 else share - round(share * least(busy * (0.7 + 0.6 * chance), 1), 4) end as idle,
        case when starts then share else 0 end as starting,
        case when silent and not starts then share else 0 end as unmeasured
    from (
        select hour, key, price, share, busy, hour = any(%(silent)s) and pool = 'v100-od' as silent,
            work = 'work' and extract(hour from local) = 7 as starts,
            ('x' || substr(md5(key::text || hour::text), 1, 4))::bit(16)::int / 65535.0 as chance
        from (select hour, hour at time zone %(zone)s as local from generate_series(%(start)s, %(last)s, interval '1 hour') hour) hours
        cross join spec
        where case work {whens} end
    ) chosen
) parts
"""
# Spot nodes come with their pods and leave with them; the others stay, whoever holds them.
FREE = """
insert into ledger_hour
select %(cluster)s, hour, hour, %(key)s, %(price)s, 0, 0, 0, 0, 0, free, free, free * %(price)s, 0, 0, 0, 0, free * %(price)s, 0
from (
    select hour, case when %(pool)s like '%%-spot' then 0 else %(gpus)s - coalesce(held, 0) end as free
    from generate_series(%(start)s, %(last)s, interval '1 hour') hours(hour)
    left join (
        select l.hour, sum(l.allocated) as held from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
        where l.cluster_id = %(cluster)s and h.node_pool = %(pool)s group by 1) taken using (hour)
) left_over where free > 0
"""


@transaction.atomic
def open_company(now: datetime, *, days: int = DAYS) -> Cluster:
    """Fills an empty ledger with whole hours up to `now`; two hours are silent three days before, at 02:00 local."""
    Setting.objects.create(currency="CHF", timezone=ZONE.key)
    cluster = Cluster.objects.create(name="eks-prod", source={})
    end = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    today = now.astimezone(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
    start = (today - timedelta(days=days)).astimezone(UTC)
    night = (today - timedelta(days=3)).replace(hour=2).astimezone(UTC)
    params = {
        "cluster": cluster.pk, "start": start, "last": end - timedelta(hours=1), "zone": ZONE.key,
        "silent": [night, night + timedelta(hours=1)], "sweep": (today - timedelta(days=5)).date(),
    }  # fmt: skip
    with connection.cursor() as cursor:
        for months in range(days // 28 + 2):
            cursor.execute("select ensure_month(%s)", [(start + timedelta(days=28 * months)).date()])
        cursor.execute("select ensure_month(%s)", [end.date()])
        _jobs(cursor, params)
        for pool in POOLS:
            key = _hold(cursor, cluster.pk, {"team": "unallocated"}, pool, node="")
            cursor.execute(FREE, params | {"key": key, "pool": pool.name, "gpus": pool.gpus, "price": pool.price})
        _finish(cursor, params)
    return cluster


def _jobs(cursor, params: dict) -> None:
    cursor.execute("create temporary table spec (key uuid, pool text, price numeric, share numeric, busy numeric, work text) on commit drop")
    pools = {pool.name: pool for pool in POOLS}
    for job in JOBS:
        for n in range(job.pods):
            about = {"team": job.team, "namespace": job.namespace, "job_kind": job.kind, "job": job.name, "pod": f"{job.name}-{n}"}
            key = _hold(cursor, params["cluster"], about, pools[job.pool], node=f"gpu-{job.pool}-{n % 4:02}")
            cursor.execute(
                "insert into spec values (%s, %s, %s, %s, %s, %s)",
                [key, job.pool, pools[job.pool].price, job.share, job.used, job.when],
            )
    whens = " ".join(f"when '{name}' then {condition}" for name, condition in BUSY.items())
    cursor.execute(LINES.format(whens=whens), params)
    cursor.execute("drop table spec")


def _hold(cursor, cluster: int, about: dict[str, str], pool: Pool, *, node: str) -> UUID:
    key = UUID(bytes=hashlib.blake2b(f"{about} {pool.name}".encode(), digest_size=16).digest())
    named = {"cluster_id": cluster, "key": key, "node": node, "node_pool": pool.name, "gpu_model": pool.model, "labels": "{}"}
    named |= {"capacity_type": pool.capacity_type, **about}
    cursor.execute(
        f"insert into holding ({', '.join(COLUMNS)}) values ({', '.join(['%s'] * len(COLUMNS))})",
        [named.get(column, "") for column in COLUMNS],
    )
    return key


def _finish(cursor, params: dict) -> None:
    """Roll-ups and watermarks; the silent hours have no samples."""
    cursor.execute(
        """insert into collection_window (cluster_id, start, "end", state, rows, coverage, dirty)
           select %(cluster)s, hour, hour + interval '1 hour', 'done', case when hour = any(%(silent)s) then 0 else 100 end,
             case when hour = any(%(silent)s) then null else 0.999 end, false
           from generate_series(%(start)s, %(last)s, interval '1 hour') hour""",
        params,
    )
    first, last = (local_day(params[name], zone=ZONE) for name in ("start", "last"))
    for day in (first + timedelta(days=n) for n in range((last - first).days + 1)):
        bounds = {"start": midnight(day, zone=ZONE), "end": midnight(day + timedelta(days=1), zone=ZONE)}
        cursor.execute(ROLL_UP, {"cluster": params["cluster"], "day": day} | bounds)
    cursor.execute("analyze ledger_hour, ledger_day, holding, collection_window")
