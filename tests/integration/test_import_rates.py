"""Price lists and list prices into the database."""

from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.export import configuration
from finops.list_prices import accept, in_use, offer
from finops.models import Rate
from finops.scope import Refused, Window

NOW = datetime(2026, 11, 1, tzinfo=UTC)
OCTOBER = Window(datetime(2026, 10, 1, tzinfo=UTC), NOW)
LIST = "gpu_model,capacity_type,price,currency,from,until\nTesla T4,,0.60,CHF,2026-01-01,\nTesla T4,spot,0.20,CHF,2026-01-01,\n"

pytestmark = pytest.mark.django_db


def bring(tmp_path: Path, text: str, *more: str) -> list[str]:
    file, out = tmp_path / "prices.csv", StringIO()
    file.write_text(text)
    call_command("import-rates", str(file), *more, stdout=out)
    return out.getvalue().splitlines()


def stored() -> list[tuple[str, str, Decimal, str]]:
    return list(Rate.objects.order_by("id").values_list("gpu_model", "capacity_type", "price", "origin"))


def test_a_list_is_imported_once_and_again_changes_nothing(tmp_path) -> None:
    assert bring(tmp_path, LIST, "--dry-run") == [
        "would change: rate Tesla T4 0.60 CHF: added", "would change: rate Tesla T4 0.20 CHF: added"]  # fmt: skip
    assert stored() == []
    assert bring(tmp_path, LIST) == ["rate Tesla T4 0.60 CHF: added", "rate Tesla T4 0.20 CHF: added"]
    assert stored() == [("Tesla T4", "", Decimal("0.6"), ""), ("Tesla T4", "spot", Decimal("0.2"), "")]
    assert bring(tmp_path, LIST) == ["nothing to change"]


def test_what_is_there_stays_and_an_overlap_is_refused_with_its_line(tmp_path) -> None:
    apply(parse('rates:\n  - {gpu_model: V100, price: "2", currency: CHF}\n'), now=NOW)
    bring(tmp_path, LIST)
    with pytest.raises(CommandError) as caught:
        bring(tmp_path, "gpu_model,price,currency,from\nA10G,1,CHF,\nT4,0.70,CHF,2027-01-01\n")
    assert str(caught.value) == (
        f"{tmp_path}/prices.csv: line 3: applies to the same GPUs at the same time as the rate of 0.6 CHF from 2026-01-01; "
        "end that one: repeat it in this file with an until")  # fmt: skip
    assert len(stored()) == 3 and caught.value.returncode == 2
    ended = "gpu_model,price,currency,from,until\nTesla T4,0.60,CHF,2026-01-01,2027-01-01\nT4,0.70,CHF,2027-01-01,\n"
    assert bring(tmp_path, ended) == ["rate Tesla T4 0.60 CHF: ends 2027-01-01 00:00:00+00:00", "rate T4 0.70 CHF: added"]
    assert Rate.objects.get(gpu_model="V100").end is None


def test_a_missing_file_and_other_bytes_are_one_line(tmp_path) -> None:
    with pytest.raises(CommandError, match="none.csv: No such file"):
        call_command("import-rates", str(tmp_path / "none.csv"))
    (tmp_path / "x.csv").write_bytes(b"price,currency\n\xff")
    with pytest.raises(CommandError, match="x.csv: not UTF-8 text at byte 15; save it as CSV UTF-8"):
        call_command("import-rates", str(tmp_path / "x.csv"))


def test_accepted_list_prices_are_marked_until_a_price_replaces_them(tmp_path) -> None:
    apply(parse("currency: USD\n"), now=NOW)
    offers = offer(["Tesla T4", "NVIDIA L4"], "USD")
    assert not in_use(OCTOBER)
    assert len(accept(offers, now=NOW)) == 2 and accept(offers, now=NOW) == []
    assert stored() == [("Tesla T4", "", Decimal("0.526"), "list"), ("NVIDIA L4", "", Decimal("0.706832"), "list")]
    assert in_use(OCTOBER)
    text = "gpu_model,price,currency\nT4,0.40,USD\nL4,0.50,USD\n"
    assert bring(tmp_path, text)[:2] == ["rate Tesla T4 0.526 USD: list price replaced", "rate NVIDIA L4 0.706832 USD: list price replaced"]
    assert {origin for *_, origin in stored()} == {""} and not in_use(OCTOBER)


def test_list_prices_are_printed_as_ordinary_rates_and_stay_marked() -> None:
    apply(parse("currency: USD\n"), now=NOW)
    accept(offer(["Tesla T4"], "USD"), now=NOW)
    assert apply(parse(dump(configuration(now=NOW))), now=NOW) == []
    assert in_use(OCTOBER)


def test_a_list_price_never_stands_beside_a_price_of_the_reader(tmp_path) -> None:
    apply(parse("currency: USD\n"), now=NOW)
    bring(tmp_path, "gpu_model,price,currency\nT4,0.40,USD\n")
    with pytest.raises(Exception, match="applies to the same GPUs"):
        accept(offer(["Tesla T4"], "USD"), now=NOW)


def test_a_currency_without_exchange_rate_is_refused() -> None:
    apply(parse("currency: CHF\n"), now=NOW)
    with pytest.raises(Refused, match="list prices are in USD and no exchange rate to CHF is known; add one under exchange_rates"):
        accept(offer(["Tesla T4"], "CHF"), now=NOW)
    assert stored() == []


def test_the_migration_holds_the_whole_model() -> None:
    call_command("makemigrations", "finops", check=True, dry_run=True, verbosity=0)
