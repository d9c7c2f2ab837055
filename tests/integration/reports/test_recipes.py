"""The recipes of docs/api.md, as printed, by curl against a live server. The ledger of last month, every GPU-hour at 2.00:

day  team         job       used   idle   cost   idle cost
10   fraud        velocity  0.75   0.25   2.00   0.50
10   fraud        nb-lab    0      1      2.00   2.00
10   vision       defects   1      0      2.00   0
10   unallocated            (1 GPU-h free)  2.00
11   fraud        velocity  0.5    0.5    2.00   1.00
"""

import csv
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal as D
from pathlib import Path

import pytest
from django.db import connection

from finops.models import Cluster, Setting
from tests.integration.reports.metrics.served import serving

ROOT = Path(__file__).resolve().parents[3]
RECIPES = dict(re.findall(r"^### (.+?)\n\n```sh\n(.*?)```", (ROOT / "docs/api.md").read_text(), flags=re.MULTILINE | re.DOTALL))
FIRST = (datetime.now(UTC).replace(day=1) - timedelta(days=1)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
LINES = [  # day, team, job, used, idle, free
    (10, "fraud", "velocity", "0.75", "0.25", "0"),
    (10, "fraud", "nb-lab", "0", "1", "0"),
    (10, "vision", "defects", "1", "0", "0"),
    (10, "unallocated", "", "0", "0", "1"),
    (11, "fraud", "velocity", "0.5", "0.5", "0"),
]
CENTRES = {"fraud": "0471", "vision": "0815"}
ROLL_UP = (ROOT / "finops/sql/roll_up_day.sql").read_text()

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not shutil.which("curl"), reason="curl is missing: apt-get install curl"),
]


def fill() -> None:
    Setting.objects.create(currency="CHF", timezone="UTC")
    cluster = Cluster.objects.create(name="lab", source={}).pk
    with connection.cursor() as cursor:
        cursor.execute("select ensure_month(%s)", [FIRST.date()])
        for day, team, job, used, idle, free in LINES:
            key = uuid.uuid5(uuid.NAMESPACE_OID, team + job)
            kind = "Job" if job else ""
            named = [cluster, key, team, CENTRES.get(team, ""), team if job else "", kind, job]
            cursor.execute(
                """insert into holding (cluster_id, key, team, cost_center, namespace, job_kind, job, department, run, pod, uid, "user",
                       node, node_pool, instance_type, gpu_model, capacity_type, queue, labels)
                   values (%s, %s, %s, %s, %s, %s, %s, '', '', '', '', '', 'n1', 'od', '', 'NVIDIA T4', 'on-demand', '', '{}')
                   on conflict do nothing""",
                named,
            )
            hour = FIRST + timedelta(days=day - 1, hours=10)
            cursor.execute(
                """insert into ledger_hour (cluster_id, hour, since, holding, price, allocated, used, idle, starting, unmeasured, unallocated,
                       capacity, cost, used_cost, idle_cost, starting_cost, unmeasured_cost, unallocated_cost)
                   values (%s, %s, %s, %s, 2, %s, %s, %s, 0, 0, %s, 1, 2, %s, %s, 0, 0, %s)""",
                [cluster, hour, hour, key, D(used) + D(idle), used, idle, free, 2 * D(used), 2 * D(idle), 2 * D(free)],
            )
        for day in (10, 11):
            start = FIRST + timedelta(days=day - 1)
            cursor.execute(ROLL_UP, {"cluster": cluster, "day": start.date(), "start": start, "end": start + timedelta(days=1)})


@pytest.fixture(scope="module")
def server(django_db_setup, django_db_blocker) -> Iterator[dict[str, str]]:
    """What the recipes take from the environment."""
    with serving(django_db_blocker, scopes=["read", "export"], fill=fill) as (url, token):
        yield {"FINOPS": url, "TOKEN": token}


def there(server: dict[str, str], path: str) -> None:
    """Skips while this build lacks the address, or the words for windows."""
    asked = urllib.request.Request(f"{server['FINOPS']}/api/v1/{path}", headers={"Authorization": f"Bearer {server['TOKEN']}"})
    try:
        urllib.request.urlopen(asked, timeout=30).close()
    except urllib.error.HTTPError as error:
        with error:
            detail = json.load(error)["detail"]
        if error.code == 404 or "unknown parameter 'window'" in detail:
            pytest.skip(f"this build lacks {path}: {detail[:60]}")


def cooked(name: str, server: dict[str, str], folder: Path) -> str:
    """What the recipe prints."""
    there(server, "costs/export?format=focus-csv&window=lastmonth" if "FOCUS" in name else "costs?window=lastmonth")
    done = subprocess.run(
        ["sh", "-c", RECIPES[name]],
        cwd=folder,
        env=os.environ | server | {"NO_PROXY": "*"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_five():
    assert list(RECIPES) == [
        "Last month by cost centre", "One team's jobs by day", "A FOCUS file", "The ten dearest idle jobs", "Efficiency by team",
    ]  # fmt: skip


def test_last_month_by_cost_centre(server, tmp_path):
    """Fraud's three hours 6.00, vision's 2.00, nobody's 2.00."""
    answer = json.loads(cooked("Last month by cost centre", server, tmp_path))
    assert {row["cost_center"]: D(row["cost"]) for row in answer["rows"]} == {"0471": 6, "0815": 2, "": 2}
    assert D(answer["total"]["cost"]) == 10 and answer["next"] is None


def test_one_teams_jobs_by_day(server, tmp_path):
    answer = json.loads(cooked("One team's jobs by day", server, tmp_path))
    assert [(row["period_start"][8:10], row["job"], row["job_kind"], row["namespace"], D(row["cost"])) for row in answer["rows"]] == [
        ("10", "nb-lab", "Job", "fraud", 2), ("10", "velocity", "Job", "fraud", 2), ("11", "velocity", "Job", "fraud", 2),
    ]  # fmt: skip


def test_a_focus_file(server, tmp_path):
    cooked("A FOCUS file", server, tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.suffix == ".csv"
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert sum(D(row["EffectiveCost"]) for row in rows) == 10
    assert {row["BillingCurrency"] for row in rows} == {"CHF"}


def test_the_ten_dearest_idle_jobs(server, tmp_path):
    lines = [line.split("\t") for line in cooked("The ten dearest idle jobs", server, tmp_path).splitlines()]
    assert [(D(cost), *names) for cost, *names in lines] == [
        (2, "CHF", "fraud", "fraud/nb-lab"), (D("1.5"), "CHF", "fraud", "fraud/velocity"), (0, "CHF", "vision", "vision/defects"),
    ]  # fmt: skip


def test_efficiency_by_team(server, tmp_path):
    """Fraud used 1.25 of 3 measured hours, 41.7 %, and paid 6.00 for them: 4.80 a used hour. Vision used its one hour."""
    lines = [line.split("\t") for line in cooked("Efficiency by team", server, tmp_path).splitlines()]
    assert [(team, share, D(price)) for team, share, price in lines] == [("fraud", "41.7 %", D("4.8")), ("vision", "100.0 %", 2)]
