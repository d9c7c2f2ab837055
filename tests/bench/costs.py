"""`/costs` by team and day over 30 days of 10,000 GPUs, asked over the API within one process.

usage: costs.py [GPUS] (needs nothing beside the product; prints milliseconds, writes bench-costs.json)
"""

import json
import os
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

DAYS, ROUNDS, PER_POD = 30, 20, 2
FIRST = datetime(2026, 10, 1, tzinfo=UTC)
# Pods of two GPUs that hold them for a day or two, of 20 teams with six namespaces' jobs each, on four pools.
HOLDINGS = """
insert into holding (cluster_id, key, team, department, cost_center, namespace, job_kind, job, run, pod, uid, "user", node, node_pool,
    instance_type, gpu_model, capacity_type, queue, labels)
select %(cluster)s, md5(d || '-' || p)::uuid, 'team-' || p %% 20, 'department-' || p %% 5, 'cc-' || p %% 20, 'space-' || p %% 120,
    (array['Job', 'PyTorchJob', 'Notebook', 'InferenceService'])[1 + p %% 4], 'job-' || p %% 600, '', 'pod-' || p || '-' || d, 'uid-' || p || '-' || d,
    'user-' || p %% 300, 'node-' || p / 4, 'pool-' || p / 4 %% 4, 'p4d.24xlarge', 'NVIDIA A100-SXM4-40GB', 'on-demand', '',
    jsonb_build_object('app', 'app-' || p %% 50)
from generate_series(0, %(days)s - 1, 2) d cross join generate_series(0, %(pods)s - 1) p
"""
LINES = """
insert into ledger_day
select %(cluster)s, (%(first)s::date + d + x), md5(d || '-' || p)::uuid, 48, used, 48 - used - 1.5, 1, 0.5, 0, 48,
    48 * 3.8, used * 3.8, (48 - used - 1.5) * 3.8, 3.8, 1.9, 0, 0, 48, used, 9.6 + p %% 7, 0
from generate_series(0, %(days)s - 1, 2) d cross join generate_series(0, %(pods)s - 1) p cross join generate_series(0, 1) x
cross join lateral (select (p * 7919 + d * 31 + x * 17) %% 400000 / 10000.0 as used) u
where d + x < %(days)s
"""
WINDOWS = """
insert into collection_window (cluster_id, start, "end", state, rows, coverage, dirty, accounted_at)
select %(cluster)s, hour, hour + interval '1 hour', 'done', 100, 0.99, false, hour + interval '2 hours'
from generate_series(%(first)s, %(first)s + %(days)s * interval '1 day' - interval '1 hour', interval '1 hour') hour
"""


def fill(gpus: int) -> None:
    from django.db import connection

    from finops import ledger
    from finops.models import Cluster, Setting

    Setting.objects.create(currency="CHF", timezone="UTC")
    params = {"cluster": Cluster.objects.create(name="bench", source={}).pk, "first": FIRST, "days": DAYS, "pods": gpus // PER_POD}
    with connection.cursor() as cursor:
        cursor.execute("select ensure_month('2026-10-01')")
        for statement in (HOLDINGS, LINES, WINDOWS):
            cursor.execute(statement, params)
        for day in range(DAYS):
            cursor.execute(ledger.GROUP, params | {"day": (FIRST + timedelta(days=day)).date()})
        cursor.execute("vacuum analyze")


def asked(client, query: str, token: str) -> dict[str, float]:
    """Milliseconds of the whole answer, in this process and the database."""
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = client.get(f"/api/v1/costs?{query}", headers={"Authorization": f"Bearer {token}"})
        took.append(1000 * (time.perf_counter() - began))
        assert answer.status_code == 200 and answer.json()["balanced"], answer.content
    return {"best_ms": min(took), "p50_ms": statistics.median(took), "p95_ms": statistics.quantiles(took, n=20)[-1]}


def measure(gpus: int) -> dict[str, object]:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from reports.api import throttle
    from reports.models import ApiToken

    call_command("migrate", verbosity=0)
    fill(gpus)
    throttle.RATES["read"] = "100000/min"
    admin = User.objects.create_superuser("bench")
    token = ApiToken.issue(admin, scopes=["read"], expires=datetime.now(UTC) + timedelta(hours=1))
    window = f"start={FIRST.date()}&end={(FIRST + timedelta(days=DAYS)).date()}"
    queries = {"team_and_day": "group_by=team&step=day", "team": "group_by=team", "job_of_a_team": "group_by=job&team=team-3"}
    client = Client(SERVER_NAME="localhost")
    return {"gpus": gpus, "days": DAYS} | {name: asked(client, f"{window}&{query}", token) for name, query in queries.items()}


def main() -> None:
    gpus = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"FINOPS_DATA_DIR": str(Path(work) / "data"), "DJANGO_SETTINGS_MODULE": "finops.settings"}
        try:
            figures = measure(gpus)
        finally:
            from finops import embedded

            embedded.release()
    print(json.dumps(figures, indent=1))
    Path("bench-costs.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
