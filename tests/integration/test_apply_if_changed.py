"""The file applied at each start: unchanged, changed, and changed while others edited."""

from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from finops import policies
from finops.models import Cluster, Rate, Setting, UnallocatedPolicy

TEXT = """currency: CHF
clusters:
  - {name: a, source: {prometheus: {url: "http://127.0.0.1:9"}}}
  - {name: b, source: {prometheus: {url: "http://127.0.0.1:10"}}}
rates:
  - {gpu_model: T4, price: "0.60", currency: CHF}
"""
NO_EXCHANGE = (
    "line 6: rates[0].currency: no exchange rate turns CHF into the reporting currency, and nothing is accounted without; "
    "add one under exchange_rates"
)


@pytest.fixture
def file(tmp_path, db) -> Path:
    path = tmp_path / "finops.yaml"
    path.write_text(TEXT)
    started(path)
    return path


def started(path: object, *flags: str) -> list[str]:
    """What a start says."""
    out = StringIO()
    call_command("apply", str(path), *(flags or ("--if-changed",)), stdout=out)
    return [line.removeprefix(f"{path}: ") for line in out.getvalue().splitlines()]


def edited(name: str, policy: str = "owner") -> None:
    UnallocatedPolicy.objects.create(cluster=Cluster.objects.get(name=name), policy=policy)


def policy(name: str) -> str:
    return policies.said(Cluster.objects.get(name=name))[-1].policy


def test_an_unchanged_file_is_not_applied_again(file):
    edited("a")
    assert "unchanged since it was applied" in started(file)[0]
    assert policy("a") == "owner"


def test_a_changed_file_keeps_edits_and_names_them(file):
    edited("a")
    file.write_text(TEXT.replace("CHF\nclusters", "EUR\nclusters").replace(":9\"", ":11\""))
    assert started(file) == [
        "currency: CHF → EUR",
        "cluster a: edited since the file was last applied; kept",
        f"`manage.py apply {file}` lets the file win",
        NO_EXCHANGE,
    ]
    assert Setting.objects.get().currency == "EUR"
    assert policy("a") == "owner"


def test_edits_stay_kept_over_the_next_change_too(file):
    edited("a")
    for currency in ("EUR", "USD"):
        file.write_text(TEXT.replace("CHF\nclusters", f"{currency}\nclusters"))
        assert "cluster a: edited since the file was last applied; kept" in started(file)
    assert policy("a") == "owner"


def test_applying_it_by_hand_lets_the_file_win_and_forgets_the_edits(file):
    edited("a")
    assert started(file, "--verbosity=1") == ["unallocated policy of a: owner → keep"]
    assert policy("a") == "keep"
    assert "unchanged" in started(file)[0]


def test_another_file_applied_by_hand_is_an_edit(file, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text('rates: [{gpu_model: T4, price: "0.70", currency: CHF}]\n')
    started(other, "--verbosity=1")
    assert "unchanged" in started(file)[0]
    file.write_text(TEXT.replace("currency: CHF\nclusters", "currency: EUR\nclusters"))
    assert [line for line in started(file) if "kept" in line] == [
        "rate T4 0.60 CHF: edited since the file was last applied; kept",
        "rate T4 0.70 CHF: edited since the file was last applied; kept",
    ]
    assert list(Rate.objects.filter(end=None).values_list("price", flat=True)) == [Decimal("0.7")]


def test_a_section_new_in_the_file_takes_over_what_was_there(file):
    file.write_text(TEXT + "timezone: Europe/Zurich\n")
    assert started(file) == ["timezone: UTC → Europe/Zurich"]


def test_edits_that_contradict_the_file_stop_the_start_with_one_line(file):
    Rate.objects.create(gpu_model="V100", price="2", currency="CHF")
    file.write_text(TEXT + '  - {gpu_model: V100, price: "3.00", currency: CHF}\n')
    with pytest.raises(CommandError, match="edits made since the last application contradict it: .*lets the file win$") as refused:
        started(file)
    assert "\n" not in str(refused.value)
    assert "unchanged" not in started(file, "--dry-run")[0]


def test_no_file_is_nothing_to_do(db):
    assert started("") == []


def test_a_dry_run_is_not_remembered(file):
    file.write_text(TEXT.replace("CHF\nclusters", "EUR\nclusters"))
    assert started(file, "--dry-run") == ["would change: currency: CHF → EUR", NO_EXCHANGE]
    assert started(file) == ["currency: CHF → EUR", NO_EXCHANGE]
