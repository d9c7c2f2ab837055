"""Small clusters with a known bill, through a real Prometheus and the commands a user types."""

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cases"
KNOWN = json.loads((CASES / "expected.json").read_text())
START, END = min(c["start"] for c in KNOWN.values()), max(c["end"] for c in KNOWN.values())
MIDDLE = START + (END - START) // 7200 * 3600
HELD = ("used", "idle", "starting", "unmeasured")
BUCKETS = (*HELD, "unallocated")
KEYS = "cluster,team,node"

pytestmark = pytest.mark.skipif(
    not (shutil.which("promtool") and shutil.which("prometheus")),
    reason="promtool and prometheus are missing: apt-get install prometheus",
)


def stamp(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def configuration(url: str) -> str:
    """JSON, which is YAML: a cluster per case, its rate, and the teams of all."""
    teams, rates = [], []
    for name, case in KNOWN.items():
        for team, rule in case["teams"]:
            (kind, value), = rule.items()
            written = {"name": team, "match": {"namespace": value}} if kind == "namespace" else {f"from_{kind}": value}
            teams += [written] if written not in teams else []
        rates += [
            {"cluster": name, "gpu_model": node["model"], "price": str(node["price"]), "currency": "CHF", "from": "2026-01-01"}
            for node in case["nodes"]
        ]  # fmt: skip
    teams.sort(key=lambda rule: ["from_pod_label", "from_namespace_label", "name"].index(next(iter(rule))))
    clusters = [{"name": name, "source": {"prometheus": {"url": url, "match": {"cluster": name}}}} for name in KNOWN]
    return json.dumps({"currency": "CHF", "timezone": "UTC", "clusters": clusters, "teams": teams, "rates": rates}, indent=1)


class Product:
    """manage.py with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")}
        self.environment["FINOPS_DATA_DIR"] = str(folder)

    def __call__(self, *words: str) -> str:
        done = subprocess.run([sys.executable, str(ROOT / "manage.py"), *words], cwd=ROOT, env=self.environment,
                              capture_output=True, text=True, timeout=300)  # fmt: skip
        assert done.returncode == 0, f"manage.py {' '.join(words)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def collect(self, start: int, end: int) -> None:
        self("collect", "--start", stamp(start), "--end", stamp(end))

    def rows(self, keys: str = KEYS, step: str = "total") -> list[dict]:
        words = ["--group-by", keys, "--step", step, "--format", "json"]
        return json.loads(self("costs", "--start", stamp(START), "--end", stamp(END), *words))["rows"]


@pytest.fixture(scope="module")
def product(prometheus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("product")
    (folder / "finops.yaml").write_text(configuration(prometheus))
    run = Product(folder / "data")
    run("migrate", "--verbosity", "0")
    run("apply", str(folder / "finops.yaml"))
    run.collect(START, END)
    yield run
    if (place := folder / "data/socket-folder").exists():
        shutil.rmtree(place.read_text(), ignore_errors=True)


@pytest.fixture(scope="module")
def ledger(product) -> list[dict]:
    return product.rows()


def by_team(rows: list[dict], suffix: str) -> dict[str, dict[str, float]]:
    """Hours and money of each team, and of all under "". `suffix`: how hours are spelt."""
    found: dict = defaultdict(lambda: defaultdict(float))
    for row in rows:
        for team in (row["team"], ""):
            for name in ("allocated", *BUCKETS):
                found[team][name] += float(row.get(name + suffix) or 0)
            for name in ("cost", *(bucket + "_cost" for bucket in BUCKETS)):
                found[team][name] += float(row.get(name) or 0)
    return {team: figures for team, figures in found.items() if figures["allocated"] + figures["unallocated"]}


@pytest.mark.parametrize("name", KNOWN)
def test_bill_of(name: str, ledger) -> None:
    case = KNOWN[name]
    price = case["nodes"][0]["price"]
    got = by_team([row for row in ledger if row["cluster"] == name], "_gpu_hours")
    right = by_team(case["rows"], "_hours")
    assert set(got) == set(right)
    for team, figures in right.items():
        # The series stop with the case: what lasts to its end may miss half an interval there, every sampled figure at each edge.
        firm = case["nodes"][0]["gpus"] * case["step"] / 7200
        sampled = 0.02 + 0.01 * figures["allocated"] + case["leased_gpus"] * case["step"] / 3600
        for bucket in ("allocated", *BUCKETS):
            slack = sampled if bucket in HELD else firm
            assert got[team][bucket] == pytest.approx(figures[bucket], abs=slack), (team, bucket)
            if bucket != "allocated":
                assert got[team][f"{bucket}_cost"] == pytest.approx(figures[f"{bucket}_cost"], abs=slack * price), (team, bucket)
        assert got[team]["cost"] == pytest.approx(figures["cost"], abs=firm * price), team


@pytest.mark.parametrize("step", ["total", "hour"])
def test_identities_hold_to_the_last_digit(step: str, product) -> None:
    rows = product.rows("cluster,node", step) + product.rows(KEYS, step)
    assert len(rows) >= len(KNOWN)
    for row in rows:
        hours = {bucket: Decimal(row[f"{bucket}_gpu_hours"]) for bucket in BUCKETS}
        assert Decimal(row["allocated_gpu_hours"]) == sum(hours[bucket] for bucket in HELD)
        assert Decimal(row["capacity_gpu_hours"]) == sum(hours.values())
        assert Decimal(row["cost"]) == sum(Decimal(row[f"{bucket}_cost"]) for bucket in BUCKETS)


def test_capacity_is_every_board_all_day(product) -> None:
    got = {row["cluster"]: float(row["capacity_gpu_hours"]) for row in product.rows("cluster")}
    right = {"plain": 48, "completed_pods_linger": 24, "image_pull": 24, "time_slicing": 12, "sentinels": 12, "ksm_twice": 48,
             "team_by_pod_label": 48}  # fmt: skip
    assert got == pytest.approx(right, abs=4 * 30 / 3600)


def test_collecting_again_in_overlapping_pieces_changes_nothing(product, ledger) -> None:
    product.collect(MIDDLE, END)
    product.collect(START, MIDDLE + 7200)
    assert product.rows() == ledger


def test_accounting_again_changes_nothing(product, ledger) -> None:
    product("account", "--start", stamp(START), "--end", stamp(END))
    assert product.rows() == ledger
