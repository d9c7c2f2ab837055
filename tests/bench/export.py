"""A million lines of the ledger as CSV through the API, against PostgreSQL's own COPY TO, and the memory of the process that sends them.

usage: export.py [LINES] (needs nothing beside the product; prints figures and ratios, writes bench-export.json; fails below half the rate)

Two rates of COPY: of the same select without defusing and charges, and of the finished lines as a table that is only read.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

HOLDINGS, START, ROUNDS = 1000, datetime(2026, 1, 1, tzinfo=UTC), 2
MOST_MEBIBYTES, LEAST_RATIO = 200, 0.5
HELD = """insert into holding select %(cluster)s, md5(n::text)::uuid, 'team-' || n %% 20, 'department-' || n %% 4, '47' || n %% 20, 'ns-' || n %% 40,
    'PyTorchJob', case when n %% 50 = 0 then '=job-' else 'job-' end || n %% 200, 'run-' || n, 'job-' || n %% 200 || '-worker-' || n, 'uid-' || n,
    'user-' || n %% 60, 'gpu-node-' || n %% 125, 'a100', 'p4d.24xlarge', 'NVIDIA A100-SXM4-80GB', 'on-demand', 'queue-' || n %% 5, '{}'
    from generate_series(1, %(holdings)s) n"""
LINES = """insert into ledger_hour
    select %(cluster)s, hour, hour, key, 2.5, 1, 1 - i, i, 0, 0, 0, 1, 2.5, (1 - i) * 2.5, i * 2.5, 0, 0, 0, 0, null
    from (select %(start)s::timestamptz + h * interval '1 hour' as hour, md5(n::text)::uuid as key, (n * 7919 + h * 104729) %% 9973 / 10000.0 as i
          from generate_series(0, %(hours)s - 1) h, generate_series(1, %(holdings)s) n) chosen"""
PLAIN = """select to_char(l.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'allocated', c.name, h.team, h.department, h.cost_center, h.namespace,
    h.job_kind, h.job, h.run, h.pod, h."user", h.node, h.node_pool, h.gpu_model, h.capacity_type, h.queue, h.uid, l.price, l.capacity, l.cost,
    l.distributed_cost, l.used, l.idle, l.starting, l.unmeasured, l.unallocated
    from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding join finops_cluster c on c.id = l.cluster_id"""


def filled(lines: int) -> datetime:
    """A ledger of so many lines; its end."""
    from django.db import connection

    from finops.models import Cluster

    hours = lines // HOLDINGS
    params = {"cluster": Cluster.objects.create(name="bench", source={}).pk, "holdings": HOLDINGS, "hours": hours, "start": START}
    with connection.cursor() as cursor:
        for days in range(0, hours // 24 + 32, 28):
            cursor.execute("select ensure_month(%s)", [(START + timedelta(days=days)).date()])
        cursor.execute(HELD, params)
        cursor.execute("set session_replication_role = replica")  # the lines are right by construction: no trigger need add them up
        cursor.execute(LINES, params)
        cursor.execute("set session_replication_role = default")
        cursor.execute("vacuum analyze")
    return START + timedelta(hours=hours)


def copied(sql: str) -> tuple[int, float]:
    """Bytes and seconds of COPY TO, taken off the connection and thrown away."""
    from django.db import connection

    began, size = time.perf_counter(), 0
    with connection.cursor() as cursor, cursor.copy(f"copy ({sql}) to stdout (format csv)") as copy:
        for row in copy:
            size += len(row)
    return size, time.perf_counter() - began


def exported(client, headers: dict[str, str], end: datetime) -> tuple[int, float]:
    began = time.perf_counter()
    query = {"start": START.isoformat(), "end": end.isoformat(), "format": "csv", "grain": "hour"}
    answer = client.get("/api/v1/costs/export", query, headers=headers)
    assert answer.status_code == 200, answer.content
    lines = sum(chunk.count(b"\n") for chunk in answer.streaming_content) - 1
    return lines, time.perf_counter() - began


def measure(lines: int) -> dict[str, float]:
    """Medians of ROUNDS, the ways taken in turns."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from reports.models import ApiToken

    call_command("migrate", verbosity=0)
    end = filled(lines)
    person = User.objects.create_superuser("bench", password="bench-of-exports")
    token = ApiToken.issue(person, scopes=["export"], expires=datetime.now(UTC) + timedelta(days=1))
    client, headers = Client(), {"Authorization": f"Bearer {token}", "Host": "localhost"}
    connection.cursor().execute(f"create unlogged table finished as {PLAIN}")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    own, select, table = [], [], []
    for _ in range(ROUNDS):
        select.append(copied(PLAIN)[1])
        table.append(copied("select * from finished")[1])
        found, seconds = exported(client, headers, end)
        assert found == lines // HOLDINGS * HOLDINGS, found
        own.append(seconds)
    ours, theirs, read = (statistics.median(each) for each in (own, select, table))
    return {
        "lines": lines, "lines_per_second": lines / ours, "copy_lines_per_second": lines / theirs, "table_copy_lines_per_second": lines / read,
        "ratio_to_copy": theirs / ours, "ratio_to_copy_of_a_finished_table": read / ours,
        "mebibytes_before": before, "mebibytes_at_most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"FINOPS_DATA_DIR": str(Path(work) / "data"), "DJANGO_SETTINGS_MODULE": "finops.settings", "DEBUG": "true"}
        try:
            figures = measure(lines)
        finally:
            from finops import embedded

            embedded.release()
    print(json.dumps(figures, indent=1))
    Path("bench-export.json").write_text(json.dumps(figures, indent=1) + "\n")
    if figures["ratio_to_copy"] < LEAST_RATIO or figures["mebibytes_at_most"] > MOST_MEBIBYTES:
        sys.exit("slower than half of COPY, or more memory than agreed")


if __name__ == "__main__":
    main()
