"""FOCUS files against the tools of others: focus-data-toolkit, and the official focus-validator where its environment is."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reports.exports import files

ROOT = Path(__file__).resolve().parents[4]
VALIDATOR = Path(os.environ.get("FOCUS_VALIDATOR_ENV", ROOT / ".venv-focus"))
TOOLKIT = Path(sys.executable).with_name("focus-toolkit")
APPLIES = """ACCOUNT_NAMING_SUPPORTED BILLING_BASED_ON_PROVISIONED_RESOURCES_SUPPORTED MULTIPLE_BILLING_ACCOUNT_TYPES_SUPPORTED
MULTIPLE_PRICING_CATEGORIES_SUPPORTED MULTIPLE_SUB_ACCOUNT_TYPES_SUPPORTED NEGOTIATED_PRICING_SUPPORTED PUBLIC_PRICE_LIST_SUPPORTED
REGION_SUPPORTED RESOURCE_TYPE_ASSIGNMENT_SUPPORTED SUB_ACCOUNT_SUPPORTED TAGGING_SUPPORTED UNIT_PRICING_SUPPORTED
USAGE_MEASUREMENT_SUPPORTED"""
# Its model says that an invoice's id must be null and, in the next rule, that it must not be. Reservations, whose rules are
# wrong there too, are not claimed.
KNOWN = {"InvoiceId-C-005-C"}


@pytest.fixture(params=["allocated", "used", "hybrid"])
def basis(request) -> str:
    return request.param


def made(asked, folder: Path, **words: str) -> Path:
    files.write(asked(format="focus-csv", grain="hour", **words), folder / "charges.csv")
    return folder / "charges.csv"


@pytest.mark.skipif(not TOOLKIT.exists(), reason="focus-toolkit is missing: pip install -r tests/requirements.txt")
def test_the_toolkit_finds_nothing_in_1_4(asked, basis: str, tmp_path: Path) -> None:
    place = made(asked, tmp_path, focus_version="1.4", basis=basis)
    command = [str(TOOLKIT), "validate", "--dataset", "cost-and-usage", str(place)]
    assert (done := subprocess.run(command, capture_output=True, text=True)).returncode == 0, done.stdout + done.stderr
    place.write_text(place.read_text().replace(",Usage-Based,", ",Hourly,", 1))
    assert subprocess.run(command, capture_output=True).returncode != 0  # it does look


@pytest.mark.skipif(not TOOLKIT.exists(), reason="focus-toolkit is missing: pip install -r tests/requirements.txt")
def test_the_toolkit_takes_1_2_as_a_source(asked, basis: str, tmp_path: Path) -> None:
    place = made(asked, tmp_path, focus_version="1.2", basis=basis)
    command = [str(TOOLKIT), "convert", "--cost-and-usage", str(place), "--out", str(tmp_path / "out"), "--exit-policy", "pipeline"]
    assert (done := subprocess.run(command, capture_output=True, text=True)).returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(
    not (VALIDATOR / "bin/focus-validator").exists(),
    reason="the official validator wants an environment of its own: python3.12 -m venv .venv-focus && "
    ".venv-focus/bin/pip install focus-validator==2.2.1 'pyarrow==21.*', or name one in FOCUS_VALIDATOR_ENV",
)
def test_the_official_validator_fails_in_its_own_contradiction_alone(asked, tmp_path: Path) -> None:
    place, report = made(asked, tmp_path, basis="hybrid"), tmp_path / "report.xml"
    site = next((VALIDATOR / "lib").glob("python3.*/site-packages"))  # it reads its currencies from there
    subprocess.run(
        [VALIDATOR / "bin/focus-validator", "--data-file", place, "--validate-version", "1.2", "--block-download",
         "--applicability-criteria", ",".join(APPLIES.split()), "--output-type", "unittest", "--output-destination", report],
        cwd=site, check=True, capture_output=True,
    )  # fmt: skip
    cases = list(ElementTree.parse(report).iter("testcase"))
    assert len(cases) > 500
    assert {case.get("name", "").split(" ::")[0] for case in cases if case.find("failure") is not None} == KNOWN
