"""Which part of a GPU a unit is."""

from fractions import Fraction

import pytest

from finops.accounting.shares import NodeGpus, boards, replicas, slices_of, stranded, unit_share

A100, GPU, SHARED = "NVIDIA A100-SXM4-40GB", "nvidia_com_gpu", "nvidia_com_gpu_shared"


def node(capacity: dict[str, int], seen: int = 0, whole: int | None = None, model: str = A100, **more) -> NodeGpus:
    return NodeGpus(capacity, seen, seen if whole is None else whole, model, **more)


@pytest.mark.parametrize(
    ("model", "slices"),
    [(A100, 7), ("NVIDIA H100 80GB HBM3", 7), ("NVIDIA A30", 4), ("NVIDIA B200", 7), ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 4)],
)
def test_slices(model: str, slices: int) -> None:
    assert slices_of(model) == slices


@pytest.mark.parametrize(("profile", "share"), [("4g_20gb", (4, 7)), ("1g_5gb", (1, 7)), ("2g_10gb", (2, 7)), ("7g_40gb", (7, 7))])
def test_mig_profiles_of_an_a100(profile: str, share: tuple[int, int]) -> None:
    resource = f"nvidia_com_mig_{profile}"
    assert unit_share(resource, node({resource: 1}, 1, 0)) == Fraction(*share)


def test_mig_of_an_a30_has_four_slices() -> None:
    assert unit_share("nvidia_com_mig_1g_6gb", node({"nvidia_com_mig_1g_6gb": 4}, 1, 0, "NVIDIA A30")) == Fraction(1, 4)


def test_single_strategy_calls_an_instance_a_gpu() -> None:
    single = node({GPU: 7}, 1, 0, product_label="NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")
    assert unit_share(GPU, single) == Fraction(1, 7)
    assert boards(single) == 1


def test_whole_gpus() -> None:
    assert unit_share(GPU, node({GPU: 8}, 8)) == 1
    assert boards(node({GPU: 8}, 8)) == 8
    assert boards(node({GPU: 8}, 7)) == 8  # a card the exporter lost was paid for all the same


def test_one_gpu_sliced_four_ways() -> None:
    sliced = node({GPU: 4}, 1, model="Tesla T4", replicas_label=4)
    assert unit_share(GPU, sliced) == Fraction(1, 4)
    assert boards(sliced) == 1
    assert 4 * unit_share(GPU, sliced) == 1


def test_replicas_follow_the_capacity_whatever_labels_say() -> None:
    assert replicas(GPU, node({GPU: 8}, 2, replicas_label=10)) == 4
    assert replicas(SHARED, node({SHARED: 6}, 2)) == 3
    assert replicas(GPU, node({GPU: 4}, 1, product_label="Tesla-T4-SHARED")) == 4
    assert replicas(GPU, node({GPU: 4}, 1, shared_on_a_board=True)) == 4
    assert replicas(GPU, node({GPU: 8}, 8, replicas_label=1, count_label=8)) == 1


MIG, MIG_SHARED = "nvidia_com_mig_1g_5gb", "nvidia_com_mig_1g_5gb_shared"


@pytest.mark.parametrize(
    ("resource", "units", "more", "share"),
    [
        pytest.param(MIG_SHARED, 14, {"instances": {1: 7}}, Fraction(1, 14), id="renamed"),
        pytest.param(MIG, 14, {"instances": {1: 7}, "slots_label": {MIG: 2}}, Fraction(1, 14), id="labelled"),
        pytest.param(MIG, 14, {"instances": {1: 7}, "slots_label": {MIG: 10}}, Fraction(1, 14), id="labelled-wrongly"),
        pytest.param(MIG, 14, {"slots_label": {MIG: 2}}, Fraction(1, 14), id="no-exporter"),
        pytest.param(MIG, 7, {"instances": {1: 1}}, Fraction(1, 7), id="six-instances-hidden"),
        pytest.param(GPU, 14, {"instances": {1: 7}, "product_label": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED"}, Fraction(1, 14), id="single"),
    ],
)
def test_a_mig_instance_shared_in_slots(resource: str, units: int, more: dict, share: Fraction) -> None:
    """One board of seven instances, each shared by two."""
    assert unit_share(resource, node({resource: units}, 1, 0, **more)) == share


def test_stranded_slices_are_what_the_instances_leave() -> None:
    three = "nvidia_com_mig_3g_20gb"
    assert stranded(node({three: 2}, 1, 0), {three: 2}) == Fraction(1, 7)
    assert stranded(node({GPU: 8}, 8), {GPU: 6}) == 0  # whole boards have no slices
    assert stranded(node({GPU: 2, MIG: 10}, 2, 0), {GPU: 2, MIG: 10}) == Fraction(4, 7)


def test_configured_units_stand_over_everything() -> None:
    named = node({"nvidia_com_a100": 8}, 1, replicas_label=4, units_per_gpu={"nvidia_com_a100": 8})
    assert (unit_share("nvidia_com_a100", named), boards(named)) == (Fraction(1, 8), 1)


def test_leftover_slices_belong_to_a_board() -> None:
    mixed = node({"nvidia_com_mig_3g_20gb": 1, "nvidia_com_mig_1g_5gb": 1}, 1, 0)
    assert boards(mixed) == 1
    assert boards(node({"nvidia_com_mig_3g_20gb": 2}, 2, 0)) == 2


def test_a_plain_resource_that_counts_the_sliced_boards_counts_once() -> None:
    assert boards(node({GPU: 2, "nvidia_com_mig_1g_5gb": 10}, 2, 0)) == 2
    assert boards(node({GPU: 2, "nvidia_com_mig_1g_5gb": 7}, 3, 2)) == 3  # two whole boards beside a sliced one


def test_virtual_slots_of_a_board_are_parts_of_it() -> None:
    slots = node({"k8s_amazonaws_com_vgpu": 20}, 2)
    assert (unit_share("k8s_amazonaws_com_vgpu", slots), boards(slots)) == (Fraction(1, 10), 2)
