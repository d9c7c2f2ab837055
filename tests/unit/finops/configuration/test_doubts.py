"""Prices that are valid and hardly meant."""

from dataclasses import dataclass
from decimal import Decimal

import pytest

from finops.configuration.doubts import doubts
from finops.configuration.schema import parse

D = Decimal
WORTH = {"CHF": D(1), "USD": D("0.80"), "JPY": D("0.005")}


@dataclass(frozen=True)
class Listed:
    gpu_model: str
    instance_type: str
    instance_price: Decimal
    price: Decimal
    currency: str = "USD"


LISTED = (
    Listed("Tesla T4", "g4dn.xlarge", D("0.50"), D("0.50")),
    Listed("Tesla T4", "n1-t4", D("0.40"), D("0.40")),
    Listed("NVIDIA A100-SXM4-40GB", "p4d.24xlarge", D("24"), D("3")),
)


def told(*entries: str, worth: dict[str, Decimal] = WORTH) -> list[str]:
    text = "rates:\n" + "\n".join(f"- {{{entry}}}" for entry in entries) + "\n"
    return [str(doubt) for doubt in doubts(parse(text).rates or (), LISTED, worth=worth)]


def test_a_usual_price_is_not_doubted() -> None:
    """In francs the T4 is listed at 0.32 to 0.40: 0.016 is exactly a twentieth of the least, 4.00 exactly ten times the most."""
    assert told('gpu_model: T4, price: "0.016", currency: CHF, until: 2026-01-01', 'gpu_model: T4, price: "4.00", currency: CHF, from: 2026-01-01') == []
    assert told('price: "100", currency: CHF', 'instance_type: new, instance_price: "1600", currency: CHF') == []


def test_a_price_far_above_the_list_is_named_with_its_line_and_cure() -> None:
    assert told('gpu_model: A10G, price: "1", currency: CHF', 'gpu_model: Tesla-T4, price: "4.01", currency: CHF') == [
        "line 3: rates[1].price: 4.01 CHF per GPU-hour is more than 10 times the list price of Tesla T4 (0.320 to 0.400 CHF); "
        "check the decimal point, the currency, and that it is the price of one hour of one GPU"
    ]


def test_a_price_far_below_the_list_is_named() -> None:
    """3 USD are 2.40 francs, and these are 480 JPY at 0.005: a twentieth is 24."""
    assert told('gpu_model: A100-SXM4-40GB, price: "24", currency: JPY') == []
    assert told('gpu_model: A100-SXM4-40GB, price: "23.9", currency: JPY') == [
        "line 2: rates[0].price: 23.9 JPY per GPU-hour is less than a twentieth of the list price of NVIDIA A100-SXM4-40GB (480.00 JPY); "
        "check the decimal point, the currency, and that it is the price of one hour of one GPU"
    ]


def test_an_instances_price_is_held_against_the_list_of_its_type() -> None:
    assert told('instance_type: p4d.24xlarge, instance_price: "192", currency: CHF') == []
    (line,) = told('instance_type: P4d.24xlarge, instance_price: "193", currency: CHF')
    assert line.startswith("line 2: rates[0].instance_price: 193 CHF per instance-hour is more than 10 times the list price of p4d.24xlarge (19.20 CHF); ")
    assert line.endswith("one hour of one instance")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('gpu_model: H900, price: "100.01", currency: CHF', "rates[0].price: 100.01 CHF per GPU-hour is above 100; check the decimal point"),
        ('node_pool: gpu, instance_price: "1600.01", currency: CHF', "rates[0].instance_price: 1600.01 CHF per instance-hour is above 1600; "),
        ('gpu_model: T4, price: "0", currency: CHF', "rates[0].price: is 0: these GPUs cost nothing; leave the rate out where the price is not known"),
        ('gpu_model: T4, price: "0.40", currency: GBP', "rates[0].currency: no exchange rate turns GBP into the reporting currency"),
        ('capacity_type: Spot, price: "0.40", currency: CHF',
         "rates[0].capacity_type: 'Spot' is none of on-demand, spot, reserved, so no node has it; did you mean 'spot'?"),
    ],
)  # fmt: skip
def test_what_else_is_named(entry: str, said: str) -> None:
    (line,) = told(entry)
    assert said in line


def test_without_exchange_rates_currencies_near_the_dollar_are_compared_as_they_are() -> None:
    """5.01 francs are beyond ten times 0.50 dollars whatever the franc is worth; of yen nothing can be said."""
    francs = {"CHF": D(1)}
    (line,) = told('gpu_model: T4, price: "5.01", currency: CHF', worth=francs)
    assert "more than 10 times the list price of Tesla T4" in line
    assert told('gpu_model: T4, price: "75", currency: JPY', worth={"JPY": D(1)}) == []
