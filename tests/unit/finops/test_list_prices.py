"""Public list prices: the arithmetic of a line, and which line is offered."""

from datetime import date
from decimal import Decimal

from finops.list_prices import list_prices, offer


def test_every_line_is_dated_sourced_and_a_price_of_one_gpu() -> None:
    for line in list_prices():
        assert line.source and line.region and date(2025, 1, 1) <= line.as_of <= date(2026, 12, 31)
        assert Decimal("0.3") < line.price < Decimal("15") and line.gpus in (1, 4, 8) and line.currency == "USD"
    assert len({(line.gpu_model, line.cloud, line.instance_type) for line in list_prices()}) == len(list_prices())


def test_an_instance_price_is_divided_by_its_gpus() -> None:
    prices = {line.instance_type: line.price for line in list_prices()}
    assert prices["p5.48xlarge"] == Decimal("6.88")  # 55.04 / 8
    assert prices["p3dn.24xlarge"] == Decimal("3.9015")  # 31.212 / 8
    assert prices["g4dn.xlarge"] == Decimal("0.526")


def test_the_middle_price_of_a_model_is_offered_whatever_its_spelling() -> None:
    offers = offer(["NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "NVIDIA A100-SXM4-40GB", "RTX 9999", "Tesla-T4-SHARED"], "CHF")
    a100, t4 = offers
    assert (a100.rate.price, a100.rate.currency) == (Decimal("3.399625"), "USD")  # 2.7447, 3.3996, 3.6734
    assert a100.taken.instance_type == "Standard_ND96asr_v4" and len(a100.others) == 2
    assert t4.rate.gpu_model == "Tesla-T4-SHARED" and t4.rate.price == Decimal("0.526")


def test_the_readers_cloud_is_preferred() -> None:
    (found,) = offer(["Tesla T4"], "USD", cloud="Google Cloud")
    assert found.rate.price == Decimal("0.35") and "alone" in found.taken.instance_type
