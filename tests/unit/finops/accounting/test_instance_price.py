"""An instance's price divided between its GPUs, its CPUs and its memory."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finops.accounting.instance_price import Parts, Size, Weights, gpu_hour_price, parts, size

D = Decimal
OPENCOST_HELM = Weights(gpu=D("0.95"), cpu=D("1.25"), memory=D("0.5"))


def test_one_gpu_with_eight_cpus() -> None:  # OC-41
    """0.95 + 8 × 0.031611 + 30.994 × 0.004237 = 1.334209578. 1.35296 × 0.95 ÷ 1.334209578 = 0.96335090168…,
    1.35296 × 0.252888 ÷ 1.334209578 = 0.25644198192… (0.032055 a cpu), 1.35296 × 0.131321578 ÷ … = 0.13316711639… (0.0042965 a GiB)."""
    found = parts(D("1.35296"), Size(1, D(8), D("30.994")))
    assert found == Parts(D("0.9633509017"), D("0.2564419819"), D("0.1331671164"))
    assert sum(found) == D("1.35296")


def test_weights_of_ones_own() -> None:  # OC-42
    """0.95 + 4 × 1.25 + 15.3246 × 0.5 = 13.6123. 0.526 × 0.95 ÷ 13.6123 = 0.03670944660…, 0.526 × 5 ÷ 13.6123 = 0.19320761370…
    (0.048302 a cpu), 0.526 × 7.6623 ÷ 13.6123 = 0.29608293969… (0.019321 a GiB)."""
    found = parts(D("0.526"), Size(1, D(4), D("15.3246")), OPENCOST_HELM)
    assert found == Parts(D("0.0367094466"), D("0.1932076137"), D("0.2960829397"))
    assert sum(found) == D("0.526")


def test_what_rounding_leaves_goes_to_the_largest_remainder() -> None:
    """Three equal thirds of 0.0000000002: two of them get a digit, the first ones."""
    assert parts(D("0.0000000002"), Size(1, D(1), D(1)), Weights(D(1), D(1), D(1))) == Parts(D("1e-10"), D("1e-10"), D(0))


def test_the_boards_together_cost_the_gpu_part() -> None:
    """Three boards of weight 1 and seven cpus of weight 1: 10 ÷ 10 × 3 = 3.00 for the boards, 1.00 each; of 1.00, 0.30 and 0.10.
    Of 0.0000000007 the boards' part is 0.0000000002 (0.21 rounded by remainder), two thirds of a digit each."""
    of, weights = Size(3, D(7), D(1)), Weights(D(1), D(1), D(0))
    assert gpu_hour_price(D("10"), of, weights) == D(1)
    assert gpu_hour_price(D("1"), of, weights) == D("0.1")
    third = gpu_hour_price(D("0.0000000007"), of, weights)
    assert third is not None and (third * 3).quantize(D("1e-10")) == D("0.0000000002")


def test_an_unknown_size_has_no_price() -> None:
    for of in (Size(1, None, D(16)), Size(1, D(4), None), Size(0, D(4), D(16))):
        assert parts(D(1), of) is None and gpu_hour_price(D(1), of) is None


def test_what_weighs_nothing_need_not_be_known() -> None:
    assert gpu_hour_price(D("8.00"), Size(4), Weights(cpu=D(0), memory=D(0))) == D(2)


def test_a_price_of_zero_is_divided_too() -> None:
    assert gpu_hour_price(D(0), Size(1, D(4), D(16))) == 0


def test_a_nodes_capacity_in_cores_and_bytes() -> None:
    """16 GiB = 17179869184 bytes; kube-state-metrics' floats are read as they print."""
    assert size(2, cpus=3.92, memory=17179869184.0) == Size(2, D("3.92"), D(16))
    assert size(2, cpus=None, memory=None) == Size(2, None, None)


amounts = st.decimals(0, 16000, places=10)
positive = st.decimals("0.000001", 1000, places=6)


@given(amounts, st.integers(1, 16), positive, positive, st.builds(Weights, positive, positive, positive))
def test_the_parts_add_up_to_the_price_to_the_last_digit(price: Decimal, gpus: int, cpus: Decimal, memory: Decimal, weights: Weights) -> None:
    found = parts(price, Size(gpus, cpus, memory), weights)
    assert found is not None and sum(found) == price and min(found) >= 0


@pytest.mark.parametrize("more", [Size(2, D(8), D("30.994")), Size(1, D(4), D("30.994")), Size(1, D(8), D(15))])
def test_the_gpu_part_grows_with_gpus_and_where_there_is_less_beside_them(more: Size) -> None:
    assert parts(D("1.35296"), more).gpu > D("0.9633509017")  # type: ignore[union-attr]
