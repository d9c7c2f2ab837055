"""The house checks itself."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = [p for app in ("finops", "ingest", "reports") for p in (ROOT / app).rglob("*.py") if "migrations" not in p.parts]


def test_no_file_is_too_long() -> None:
    assert [str(p) for p in CODE if len(p.read_text().splitlines()) > 260] == []


def test_no_junk_drawers() -> None:
    forbidden = {"utils", "helpers", "common", "core", "base", "manager", "services"}
    assert [str(p) for p in CODE if p.stem in forbidden] == []


def test_every_requirement_is_pinned_and_says_what_it_is_for() -> None:
    for file in ("requirements.txt", "tests/requirements.txt", "deploy/requirements-embedded.txt"):
        for line in (ROOT / file).read_text().splitlines():
            assert re.match(r"[A-Za-z0-9\[\]-]+==\S+ +# \w", line), f"{file}: {line}"


def test_the_arithmetic_loads_neither_django_nor_celery() -> None:
    code = "import sys, finops.accounting.charge, finops.accounting.usage; print({'django', 'celery'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_cluster_leads_every_key_of_facts() -> None:
    schema = (ROOT / "finops/sql/schema.sql").read_text()
    keys = re.findall(r"primary key \(([^)]*)\)", schema)
    assert len(keys) >= 9
    assert [key for key in keys if not key.startswith("cluster_id")] == []
