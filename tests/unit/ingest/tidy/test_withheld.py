"""GPUs of a node that no pod can get."""

from fractions import Fraction

from finops.accounting.shares import NodeGpus
from ingest.tidy.withheld import withheld

GPU, THREE, ONE = "nvidia_com_gpu", "nvidia_com_mig_3g_20gb", "nvidia_com_mig_1g_5gb"
EIGHT = NodeGpus({GPU: 8}, 8, 8, "NVIDIA A100-SXM4-40GB")


def test_capacity_against_allocatable_scrape_by_scrape() -> None:
    """Ten scrapes a minute apart, six of them with two less: 12 of 80 are 1.2 of 8."""
    capacity = {60.0 * n: {GPU: 8} for n in range(10)}
    free = {at: {GPU: 6 if at < 360 else 8} for at in capacity}
    assert withheld(capacity, free, EIGHT, {GPU: Fraction(1)}, interval=60) == {"unhealthy": "6/5"}


def test_less_than_five_minutes_are_a_restart() -> None:
    capacity = {60.0 * n: {GPU: 8} for n in range(10)}
    free = {at: {GPU: 0 if at < 240 else 8} for at in capacity}
    assert withheld(capacity, free, EIGHT, {GPU: Fraction(1)}, interval=60) == {}


def test_without_allocatable_nothing_is_said() -> None:
    assert withheld({0.0: {GPU: 8}}, {}, EIGHT, {GPU: Fraction(1)}, interval=600) == {}


def test_slices_without_an_instance_by_time() -> None:
    """One board: twice 3g at three scrapes, seven times 1g at one."""
    gpus = NodeGpus({THREE: 2, ONE: 7}, 1, 0, "NVIDIA A100-SXM4-40GB", at_once=[{THREE: 2}, {ONE: 7}])
    capacity = {0.0: {THREE: 2}, 1.0: {THREE: 2}, 2.0: {THREE: 2}, 3.0: {ONE: 7}}
    shares = {THREE: Fraction(3, 7), ONE: Fraction(1, 7)}
    assert withheld(capacity, {}, gpus, shares, interval=60) == {"stranded": "3/28"}
