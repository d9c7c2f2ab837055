"""/setup/prices: 16 GPU-h of an A100 to be priced."""

from datetime import UTC, datetime
from decimal import Decimal

from django.db import connection

from finops import pipeline
from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.export import configuration
from finops.models import ExchangeRate, Rate

ROW = {"model-0": "NVIDIA A100-SXM4-40GB", "kind-0": "on-demand"}


def test_what_has_no_price_is_asked_for(as_admin, collected) -> None:
    text = as_admin.get("/setup/prices").content.decode()
    assert "<b>1 of 1</b> kinds of GPU have no price" in text and "NVIDIA A100-SXM4-40GB" in text and 'name="price-0"' in text
    assert '<td class="n">16.0</td>' in text


def test_a_price_is_an_ordinary_rate(as_admin, collected) -> None:
    answer = as_admin.post("/setup/prices", {**ROW, "price-0": "3.80"})
    rate = Rate.objects.get()
    assert answer.status_code == 302 and (rate.gpu_model, rate.capacity_type, str(rate.price.normalize()), rate.currency, rate.start) == (
        "NVIDIA A100-SXM4-40GB", "on-demand", "3.8", "CHF", None)  # fmt: skip
    text = as_admin.get("/setup/prices").content.decode()
    assert "CHF\u00a03.80" in text and "has a price" in text and "price-0" not in text
    connection.check_constraints()  # what the commit of the saved price checks
    pipeline.account(collected)
    now = datetime.now(UTC)
    assert "60.80" in as_admin.get("/?start=2026-10-25&end=2026-10-26").content.decode()
    assert apply(parse(dump(configuration(now=now))), now=now) == []


def test_a_wrong_price_is_said_at_its_row(as_admin, collected) -> None:
    answer = as_admin.post("/setup/prices", {**ROW, "price-0": "free"})
    assert answer.status_code == 400 and "is not a decimal number" in answer.content.decode() and 'value="free"' in answer.content.decode()
    assert not Rate.objects.exists()


def test_a_page_gone_old_does_not_price_another_model(as_admin, collected) -> None:
    answer = as_admin.post("/setup/prices", {"model-0": "Tesla T4", "kind-0": "spot", "price-0": "0.60"})
    assert answer.status_code == 400 and "type the price again" in answer.content.decode() and not Rate.objects.exists()


def test_a_rate_that_is_there_stays(as_admin, collected) -> None:
    now = datetime.now(UTC)
    apply(parse('rates: [{gpu_model: "Tesla T4", price: "0.60", currency: CHF}]'), now=now)
    as_admin.post("/setup/prices", {**ROW, "price-0": "3.80"})
    assert sorted(Rate.objects.filter(end=None).values_list("gpu_model", flat=True)) == ["NVIDIA A100-SXM4-40GB", "Tesla T4"]


def test_nothing_typed_changes_nothing(as_admin, collected) -> None:
    assert as_admin.post("/setup/prices", {**ROW, "price-0": " "}).status_code == 302
    assert not Rate.objects.exists()


def test_before_the_first_hour_no_model_is_known(as_admin, db) -> None:
    assert "No hour is accounted yet" in as_admin.get("/setup/prices").content.decode()


OFFER = {**ROW, "offer": "NVIDIA A100-SXM4-40GB"}


def test_the_list_price_is_offered_with_its_date_and_source(as_admin, collected) -> None:
    text = as_admin.get("/setup/prices").content.decode()
    assert "<b>USD\u00a03.399625</b> per GPU-hour" in text  # the middle of 2.74470525, 3.399625 and 3.673385
    assert "Azure eastus, Standard_ND96asr_v4, one of 8 GPUs; Azure Linux virtual machines price list, noted 1 Oct 2025" in text
    assert "1 USD =" in text and not Rate.objects.exists()


def test_a_list_price_in_a_foreign_currency_needs_to_know_what_that_is_worth(as_admin, collected) -> None:
    answer = as_admin.post("/setup/prices", OFFER)
    assert answer.status_code == 400 and "is empty; write a value" in answer.content.decode() and "checked" in answer.content.decode()
    assert not Rate.objects.exists() and not ExchangeRate.objects.exists()


def test_an_accepted_list_price_is_marked_and_converted(as_admin, collected) -> None:
    assert as_admin.post("/setup/prices", {**OFFER, "exchange-USD": "0.80"}).status_code == 302
    rate, exchange = Rate.objects.get(), ExchangeRate.objects.get()
    assert (rate.origin, rate.currency, rate.capacity_type) == ("list", "USD", "")
    assert (exchange.currency, exchange.rate.normalize(), exchange.start.year) == ("USD", Decimal("0.8"), datetime.now(UTC).year)
    text = as_admin.get("/setup/prices").content.decode()
    assert "1 of the prices is list prices" in text.replace("  ", " ") and 'name="price-0"' in text and 'name="offer"' not in text
    connection.check_constraints()
    pipeline.account(collected)
    assert "43.52" in as_admin.get("/?start=2026-10-25&end=2026-10-26").content.decode()  # 16 GPU-h at 2.7197
    now = datetime.now(UTC)
    assert apply(parse(dump(configuration(now=now))), now=now) == []


def test_ones_own_price_follows_a_list_price(as_admin, collected) -> None:
    as_admin.post("/setup/prices", {**OFFER, "exchange-USD": "0.80"})
    as_admin.post("/setup/prices", {**ROW, "price-0": "3.80"})
    rate = Rate.objects.get()
    assert (rate.origin, rate.currency, rate.price.normalize()) == ("", "CHF", Decimal("3.8"))
    assert "list price" not in as_admin.get("/setup/prices").content.decode().replace("List prices", "")


def test_ones_own_price_wins_over_an_offer_taken_in_the_same_breath(as_admin, collected) -> None:
    as_admin.post("/setup/prices", {**OFFER, "price-0": "3.80"})
    assert [(rate.origin, rate.currency) for rate in Rate.objects.all()] == [("", "CHF")] and not ExchangeRate.objects.exists()
