"""Cut boards: what an instance is, what it used, whose it is."""

import pytest
from django.db import connection

from finops.quality import findings
from finops.scope import Window
from tests.cases_dcgm.scraped import GPU, TEN, WHOLE, Scraped, bill, hours, minutes
from tests.fleet import A100, HOUR

pytestmark = pytest.mark.django_db
ONE, TWO, THREE = "nvidia_com_mig_1g_5gb", "nvidia_com_mig_2g_10gb", "nvidia_com_mig_3g_20gb"
FIGURES = ("allocated", "used", "unmeasured")


def instance(fleet: Scraped, number: str, profile: str, busy: float, owner: str = "", times=WHOLE, uuid: str = "GPU-1") -> Scraped:
    return fleet.card(uuid, owner, busy=busy, times=times, GPU_I_ID=number, GPU_I_PROFILE=profile)


def gpu_util(fleet: Scraped, value: float, owner: str = "", **labels: str) -> Scraped:
    named = {"exported_pod": owner, "exported_namespace": "ml"} if owner else {}
    return fleet.put("DCGM_FI_DEV_GPU_UTIL", {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100} | labels | named, value)


def test_an_instance_without_profiling_is_unmeasured_and_paid_for(tmp_path) -> None:
    """D23: only its memory is told."""
    fleet = Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE)
    labels = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "GPU_I_ID": "1", "GPU_I_PROFILE": "3g.20gb"}
    fleet.put("DCGM_FI_DEV_FB_USED", labels | {"exported_pod": "a", "exported_namespace": "ml"}, 5000).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0, 0.428571), "": (0, 0, 0)}
    assert bill().total.efficiency is None and float(bill().total.cost) == 1


@pytest.mark.parametrize(
    "value", [pytest.param(0, id="D24"), pytest.param(9223372036854775794, id="D25"), pytest.param(97, id="D24-of-the-board")]
)
def test_gpu_util_of_an_instance_counts_for_nothing(value: float, tmp_path) -> None:
    fleet = instance(Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE), "7", "3g.20gb", 0.8, "a")
    gpu_util(fleet, value, "a", GPU_I_ID="7", GPU_I_PROFILE="3g.20gb").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0.342857, 0), "": (0, 0, 0)}


@pytest.mark.parametrize("held", [1, 2])
def test_power_of_the_board_is_counted_once(held: int, tmp_path) -> None:
    """D26: two instances of 3/7 repeat the board's 350 W: 150 Wh each, and 50 Wh for the slice nobody can hold."""
    fleet = Scraped().node(**{THREE: 2})
    for n in (1, 2):
        if n <= held:
            fleet.hold("ml", f"p{n}", resource=THREE)
        fleet.card("GPU-1", f"p{n}" if n <= held else "", watts=350, GPU_I_ID=str(n), GPU_I_PROFILE="3g.20gb")
    fleet.collected(tmp_path)
    got = {row.keys["pod"]: round(float(row.energy_kwh), 6) for row in bill("pod").rows}
    assert got == {f"p{n + 1}": 0.15 for n in range(held)} | {"": round(0.35 - 0.15 * held, 6)}


@pytest.mark.parametrize("parent", [pytest.param(False, id="D27-instances-alone"), pytest.param(True, id="D27-with-the-parent")])
def test_the_parent_beside_its_instances(parent: bool, tmp_path) -> None:
    fleet = instance(Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE), "1", "3g.20gb", 0.5, "a")
    if parent:
        gpu_util(fleet.card("GPU-1", busy=0.214286), 100)
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0.214286, 0), "": (0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param("3g.19gb", id="D28"),
        pytest.param("3g.20gb+me", id="D28-media-engine"),
        pytest.param("<<<NULL>>>", id="D28-blank"),
        pytest.param("", id="D28-absent"),
    ],
)
def test_the_text_of_a_profile_is_no_size(profile: str, tmp_path) -> None:
    """Half busy is half of what the pod holds, 3/7, whatever the text says."""
    instance(Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE), "7", profile, 0.5, "a").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0.214286, 0), "": (0, 0, 0)}


def test_a_resource_with_media_engines(tmp_path) -> None:
    """D28: the resource is spelt mig-1g.5gb.me, the profile 1g.5gb+me."""
    resource = "nvidia_com_mig_1g_5gb_me"
    instance(Scraped().node(**{resource: 1, ONE: 6}).hold("ml", "a", resource=resource), "7", "1g.5gb+me", 0.5, "a").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.142857, 0.071429, 0), "": (0, 0, 0)}


@pytest.mark.parametrize("profile", ["3g.20gb", pytest.param("<<<NULL>>>", id="blank")])
def test_an_unmapped_instance_is_the_only_lackers(profile: str, tmp_path) -> None:
    """D29: one pod asks for a 3g and one instance that fits has no pod."""
    fleet = Scraped().node(**{THREE: 1, TWO: 1}).hold("ml", "a", resource=THREE).hold("ml", "b", resource=TWO)
    instance(instance(fleet, "1", profile, 0.6), "2", "2g.10gb", 0.1, "b").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0.257143, 0), "b": (0.285714, 0.028571, 0), "": (0, 0, 0)}
    assert [d.finding.kind for d in findings(Window(TEN, TEN + HOUR))] == ["inferred_device", "stranded_slices"]  # 3 + 2 of 7


def test_two_unmapped_instances_of_a_size_are_not_guessed(tmp_path) -> None:
    """D29, D35: nothing ties either to a; the instance's own UUID is in no label."""
    fleet = Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE)
    instance(instance(fleet, "1", "3g.20gb", 0.6), "2", "3g.20gb", 0.0).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0, 0.428571), "": (0, 0, 0)}


def test_an_unmapped_instance_of_another_size_is_not_taken(tmp_path) -> None:
    """D29: a lacks a 3g, and the only instance without a pod is a 2g."""
    fleet = Scraped().node(**{THREE: 1, TWO: 1}).hold("ml", "a", resource=THREE)
    instance(fleet, "2", "2g.10gb", 0.6).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.428571, 0, 0.428571), "": (0, 0, 0)}


def test_a_profile_that_says_now_this_and_now_that(tmp_path) -> None:
    """D28: of the two sizes the one a asked for holds; the hour is stored."""
    fleet = Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE)
    instance(instance(fleet, "1", "3g.20gb", 0.5, "a", minutes(-20, 50)), "1", "4g.20gb", 0.5, "a", minutes(50, 140)).collected(tmp_path)
    # The last sample of the right size, at 10:49, speaks until 10:50:30.
    assert hours(*FIGURES) == {"a": (0.428571, 0.180357, 0.067857), "": (0, 0, 0)}


def test_profiling_of_some_instances_only(tmp_path) -> None:
    """D30, D52: of three instances one has no profiling. It is unmeasured; the free one beside it is not taken for it."""
    fleet = Scraped().node(**{TWO: 3}).hold("ml", "a", resource=TWO).hold("ml", "b", resource=TWO)
    instance(instance(fleet, "1", "2g.10gb", 0.5, "a"), "3", "2g.10gb", 0.0)
    labels = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "GPU_I_PROFILE": "2g.10gb"}
    for number, owner in (("1", {"exported_pod": "a", "exported_namespace": "ml"}), ("2", {"exported_pod": "b", "exported_namespace": "ml"}), ("3", {})):
        fleet.put("DCGM_FI_DEV_FB_USED", labels | {"GPU_I_ID": number} | owner, 4000)
    fleet.collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.285714, 0.142857, 0), "b": (0.285714, 0, 0.285714), "": (0, 0, 0)}
    # The same silence is told, and the slice that three times 2g leave; no elimination is.
    assert [(d.finding.kind, d.finding.subject) for d in findings(Window(TEN, TEN + HOUR))] == [("no_measurement", f"uid-b {TWO}"), ("stranded_slices", "n1")]


def memory() -> list[float | None]:
    with connection.cursor() as cursor:
        cursor.execute("select distinct memory_max_mib from use_quarter")
        return [value for (value,) in cursor.fetchall()]


@pytest.mark.parametrize("told", [pytest.param(None, id="D31"), pytest.param(2147483632, id="D31-blank"), pytest.param(38110, id="told")])
def test_memory_that_is_not_told_is_unknown(told: float | None, tmp_path) -> None:
    fleet = instance(Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE), "1", "3g.20gb", 0.5, "a")
    if told is not None:
        labels = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "GPU_I_ID": "1", "GPU_I_PROFILE": "3g.20gb"}
        fleet.put("DCGM_FI_DEV_FB_USED", labels, told)
    fleet.collected(tmp_path)
    assert memory() == [38110 if told == 38110 else None]


def test_a_unified_memory_board_has_no_memory_figure(tmp_path) -> None:
    """D71."""
    Scraped().node().hold("ml", "a").card("GPU-1", "a", model="NVIDIA GB10").collected(tmp_path)
    assert memory() == [None]
    assert hours(*FIGURES) == {"a": (1, 0.5, 0)}


def test_an_instance_that_never_reads_above_a_third(tmp_path) -> None:
    """D32: reported as measured, not scaled up."""
    instance(Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE), "1", "3g.20gb", 0.33, "a").collected(tmp_path)
    assert hours("used", "idle") == {"a": (0.141429, 0.287143), "": (0, 0)}


def test_an_instance_id_used_again_for_another_size(tmp_path) -> None:
    """D34: id 7 is a 1g until 10:20, nothing until 10:30, then a 2g. Each half busy: 20 min of 1/14, 30 min of 1/7."""
    early, late = minutes(-20, 20), minutes(30, 140)
    fleet = Scraped().node(times=minutes(-20, 25), **{ONE: 7}).node(times=minutes(25, 140), **{TWO: 3})
    fleet.hold("ml", "a", resource=ONE, until=1200).hold("ml", "b", resource=TWO, since=1800, times=late)
    instance(instance(fleet, "7", "1g.5gb", 0.5, "a", early), "7", "2g.10gb", 0.5, "b", late).collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.047619, 0.02381, 0), "b": (0.142857, 0.071429, 0), "": (0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


@pytest.mark.parametrize("parent", [False, True])
def test_a_whole_board_is_cut_within_the_hour(parent: bool, tmp_path) -> None:
    """D34: a's whole board until 10:20, cut from 10:30 on, with or without rows of the parent beside the instances."""
    early, late = minutes(-20, 20), minutes(30, 140)
    fleet = Scraped().node(times=minutes(-20, 25), **{GPU: 1}).node(times=minutes(25, 140), **{THREE: 2})
    fleet.hold("ml", "a", until=1200).hold("ml", "b", resource=THREE, since=1800, times=late).card("GPU-1", "a", busy=0.9, times=early)
    instance(fleet, "1", "3g.20gb", 0.5, "b", late)
    if parent:
        fleet.card("GPU-1", busy=0.2, times=late)
    fleet.collected(tmp_path)
    # 20 min at 0.9 of one board, 30 min at 0.5 of 3/7.
    assert hours(*FIGURES) == {"a": (0.333333, 0.3, 0), "b": (0.214286, 0.107143, 0), "": (0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


def test_strategy_single_calls_an_instance_a_gpu(tmp_path) -> None:
    """D35: seven nvidia.com/gpu of one board; the node's labels tell the cut."""
    fleet = Scraped().node(**{GPU: 7}).hold("ml", "a")
    fleet.put("kube_node_labels", {"node": "n1", "label_nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "label_nvidia_com_gpu_count": "7"}, 1)
    instance(fleet, "7", "1g.5gb", 0.5, "a").collected(tmp_path)
    assert hours(*FIGURES) == {"a": (0.142857, 0.071429, 0), "": (0, 0, 0)}
    assert bill().total.capacity_gpu_hours == 1


@pytest.mark.parametrize("watts", [60, pytest.param(90, id="D72")])
def test_idle_is_not_told_by_power(watts: float, tmp_path) -> None:
    fleet = Scraped().node(**{THREE: 2}).hold("ml", "a", resource=THREE)
    fleet.card("GPU-1", "a", busy=0.0, watts=watts, GPU_I_ID="1", GPU_I_PROFILE="3g.20gb").collected(tmp_path)
    assert hours("used", "idle") == {"a": (0, 0.428571), "": (0, 0)}
