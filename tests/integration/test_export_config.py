"""What export-config prints, apply accepts, and it changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = """\
currency: EUR
timezone: Europe/Zurich
week_starts: monday
exchange_rates:
  - {currency: CHF, rate: "1.0638", from: 2026-01-01}
clusters:
  - name: eks
    source: {prometheus: {url: "http://prometheus:9090", match: {cluster: eks}, bearer_token_env: TOKEN, timeout: 10s}}
    scrape_interval: 90s
    user_label: example.com/user
    unallocated_policy: owner
    node_pools: [{name: "gpu-*", unallocated_policy: quota}, {name: gpu-a, unallocated_policy: even}]
  - name: lab
    source: {exporters: {dcgm: ["http://a:9400/metrics", {url: "http://b:9400/metrics", node: lab-2}]}}
  - {name: audit, source: {openmetrics: {path: dump.om}}}
teams:
  - {from_pod_label: finops.example.com/team}
  - {name: fraud, match: {namespace: "fraud-*", pod_label: {app: x}}, from: 2026-01-01}
  - {name: fraud, cost_center: "0471", owner: lead@example.com, parent: risk}
rates:
  - {gpu_model: "NVIDIA A100-SXM4-40GB", price: "PRICE", currency: EUR, from: 2026-01-01}
  - {cluster: eks, capacity_type: spot, price: "1.3", currency: CHF, from: 2026-01-01, until: 2026-07-01}
"""


def manage(data: Path, *arguments: str) -> str:
    environment = os.environ | {"FINOPS_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "finops.settings"}
    environment.pop("DATABASE_URL", None)
    done = subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_printed_file_changes_nothing_even_after_a_price_was_replaced(tmp_path):
    data, file, printed = tmp_path / "data", tmp_path / "a.yaml", tmp_path / "b.yaml"
    manage(data, "migrate", "--verbosity", "0")
    for price in ("3.8", "4.0"):
        file.write_text(FILE.replace("PRICE", price))
        manage(data, "apply", str(file))
    text = manage(data, "export-config")
    printed.write_text(text)
    assert manage(data, "apply", str(printed)) == "nothing to change\n"
    assert manage(data, "export-config") == text
    assert "price: '4'" in text and "3.8" not in text and "cost_center: '0471'" in text and "bearer_token_env: TOKEN" in text
    assert "unallocated_policy: owner\n  node_pools:\n  - name: gpu-*\n    unallocated_policy: quota\n  - name: gpu-a" in text


def test_an_empty_database_prints_a_file_that_changes_nothing(tmp_path):
    manage(tmp_path / "data", "migrate", "--verbosity", "0")
    (tmp_path / "b.yaml").write_text(manage(tmp_path / "data", "export-config"))
    assert manage(tmp_path / "data", "apply", str(tmp_path / "b.yaml")) == "nothing to change\n"
