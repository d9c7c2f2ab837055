"""How many GPUs of another maker a node has, and which."""

from fractions import Fraction

import pytest

from finops.accounting.gpu_resources import gpu_resources
from ingest.tidy.other_gpus import other_gpus

I915, AMD = "gpu_intel_com_i915", "amd_com_gpu"


@pytest.mark.parametrize(
    ("units", "count", "share", "boards"),
    [
        (20, "2", Fraction(1, 10), 2),
        (2, "2", Fraction(1), 2),
        (5, "2", Fraction(1), 5),  # two boards do not make five units
        (4, "0", Fraction(1), 4),
        (4, "", Fraction(1), 4),
    ],
)
def test_units_of_a_board_by_the_label_that_counts_boards(units: int, count: str, share: Fraction, boards: int) -> None:
    found = other_gpus({I915: units}, [{I915: units}], {"gpu_intel_com_device_count": count}, gpu_resources())
    assert (found.unit_shares, found.models) == ({I915: share}, {"Intel GPU": boards})


def test_a_configured_number_of_units_stands_over_the_label() -> None:
    known = gpu_resources([{"resource": "gpu.intel.com/i915", "units_per_gpu": 4}])
    found = other_gpus({I915: 10}, [{I915: 10}], {"gpu_intel_com_device_count": "2"}, known)
    assert found.models == {"Intel GPU": 3}  # two and a half boards are three


def test_resources_that_follow_one_another_are_the_same_boards() -> None:
    known = gpu_resources([{"resource": "amd.com/cpx", "gpu_model": "MI300X", "units_per_gpu": 8}, {"resource": "amd.com/gpu", "gpu_model": "MI300X"}])
    found = other_gpus({AMD: 2, "amd_com_cpx": 16}, [{AMD: 2}, {"amd_com_cpx": 16}], {}, known)
    assert found.models == {"MI300X": 2}
    both = other_gpus({AMD: 1, "amd_com_cpx": 8}, [{AMD: 1, "amd_com_cpx": 8}], {}, known)
    assert both.models == {"MI300X": 2}
