"""One spelling per GPU model."""

import pytest

from finops.accounting.gpu_models import normalise_model


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "a100sxm440gb"),
        ("NVIDIA A100-SXM4-40GB", "a100sxm440gb"),
        ("A100 SXM4 40GB", "a100sxm440gb"),
        ("nvidia_a100_sxm4_40gb", "a100sxm440gb"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "a100sxm440gb"),
        ("NVIDIA-A100-SXM4-40GB-SHARED-MIG-1g.5gb+me", "a100sxm440gb"),
        ("NVIDIA A100-SXM4-80GB MIG 1c.2g.20gb", "a100sxm480gb"),
        ("Tesla-T4-SHARED", "t4"),
        ("NVIDIA Tesla T4", "t4"),
        ("Quadro RTX 8000", "rtx8000"),
        ("NVIDIA", ""),
        ("AMD_Instinct_MI300X_OAM", "mi300xoam"),
        ("Instinct MI300X", "mi300x"),
        ("Intel Max 1550", "max1550"),
        ("AMD GPU", "amdgpu"),
        ("Intel GPU", "intelgpu"),
    ],
)
def test_spelling_does_not_matter(written: str, expected: str) -> None:
    assert normalise_model(written) == expected


def test_memory_sizes_stay_apart() -> None:
    assert normalise_model("A100-SXM4-40GB") != normalise_model("A100-SXM4-80GB")
