"""Devices held through resource claims: a lease where the exporter names the pods, else unknown and told, never nothing."""

from itertools import permutations

import pytest

from finops.models import Rate
from finops.quality import findings
from finops.scope import Window
from tests.cases_dcgm.scraped import Scraped
from tests.cases_dcgm.scraped import hours as figures
from tests.cases_kube.ground import D, Ground, hours
from tests.cases_opencost.ground import rule
from tests.fleet import GPU, HOUR, TEN, WHOLE, bill, minutes

pytestmark = pytest.mark.django_db
LONG = minutes(-20, 200)
BOARDS = {"label_nvidia_com_gpu_count": "2", "label_nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB"}


class Claims(Ground):
    """One node whose GPUs are given by claims alone: its capacity names none."""

    def machine(self, times=WHOLE) -> "Claims":
        self.told("kube_node_created", -900, {"node": "n1"}, times)
        self.put("kube_node_labels", {"node": "n1", **BOARDS}, 1, times)
        return self

    def claimed(self, name: str, claim: str = "gpu", *, at: float = -20, started: float | None = None, times=WHOLE, shown: bool = True,
                node: str = "n1") -> "Claims":  # fmt: skip
        """A pod with a claim; `shown`: kube-state-metrics is new enough to tell of it."""
        who = {"namespace": "ml", "pod": name, "uid": f"uid-{name}"}
        self.put("kube_pod_info", who | {"node": node}, 1, times)
        self.told("kube_pod_status_scheduled_time", at, who, times)
        self.told("kube_pod_container_state_started", at if started is None else started, who | {"container": "main"}, times)
        self.put("kube_pod_labels", who | {"label_team": f"team-{name}"}, 1, times)
        if shown:
            self.put("kube_pod_resourceclaim_info", who | {"claim_name": "gpu", "resourceclaim_name": claim, "resourceclaim_template_name": ""}, 1, times)
        return self

    def given(self, uuid: str, pod: str, claim: str = "gpu", *, busy: float = 0.5, times=WHOLE, **more: str) -> "Claims":
        """A device the exporter names the pod and the claim of."""
        labels = {"dra_claim_name": claim, "dra_claim_namespace": "ml", "dra_driver_name": "gpu.nvidia.com"}
        self.card(uuid, pod, busy=busy, times=times, **(labels | more))
        return self


def doubts(kind: str, hour: int = 0) -> list:
    return [d.finding for d in findings(Window(TEN + HOUR * hour, TEN + HOUR * (hour + 1))) if d.finding.kind == kind]


@pytest.mark.parametrize("shown", [pytest.param(True, id="F6"), pytest.param(False, id="D09-kube-state-metrics-before-2.20")])
def test_a_device_that_names_its_claims_pod_is_its_lease(shown: bool, tmp_path) -> None:
    """Two boards at 2, one given by a claim for the whole hour and half busy: 1 held at 2, 0.5 used, 1 nobody's at 2."""
    Rate.objects.create(price="2", currency="CHF")
    Claims().machine().claimed("a", shown=shown).given("GPU-1", "a").card("GPU-2", busy=0.0).collected(tmp_path)
    assert hours("allocated", "used", "unmeasured", "unallocated", by="pod") == {"a": (1, D("0.5"), 0, 0), "": (0, 0, 0, 1)}
    assert (bill().total.cost, bill().total.unallocated_cost) == (4, 2)
    assert doubts("resource_claims") == []


def test_a_claim_is_held_from_its_pods_binding_and_starting_until_it_starts(tmp_path) -> None:
    """Bound at 10:15, started at 10:30, the exporter names it from 10:31 on."""
    late = minutes(15, 140)
    fleet = Claims().machine().claimed("a", at=15, started=30, times=late)
    fleet.card("GPU-1", busy=0.0, times=minutes(-20, 31)).given("GPU-1", "a", busy=1.0, times=minutes(31, 140)).card("GPU-2", busy=0.0).collected(tmp_path)
    got = hours("allocated", "starting", "unallocated", by="pod")
    assert got == {"a": (D("0.75"), D("0.25"), 0), "": (0, 0, D("1.25"))}


def test_a_claim_of_two_pods_is_one_device(tmp_path) -> None:
    """0.8 busy once, not twice: half of the board and 0.4 each."""
    fleet = Claims().machine().claimed("a", "shared").claimed("b", "shared")
    fleet.given("GPU-1", "a", "shared", busy=0.8).given("GPU-1", "b", "shared", busy=0.8).card("GPU-2", busy=0.0).collected(tmp_path)
    assert hours("allocated", "used", by="pod") == {"a": (D("0.5"), D("0.4")), "b": (D("0.5"), D("0.4"))}
    assert bill().total.capacity_gpu_hours == 2


def test_a_claim_of_a_mig_instance_is_its_part_of_the_board(tmp_path) -> None:
    """2g of an A100: 2/7, half busy."""
    fleet = Claims().machine().claimed("a").given("GPU-1", "a", GPU_I_ID="3", GPU_I_PROFILE="2g.10gb").card("GPU-2", busy=0.0)
    fleet.collected(tmp_path)
    assert figures("allocated", "used")["a"] == (0.285714, 0.142857)


def test_what_no_series_tells_is_unknown_and_never_nothing(tmp_path) -> None:
    """Two pods with claims, and an exporter that names neither: no line says 0; the hours nobody else holds are told with pods and teams."""
    rule(label="team")
    Claims().machine().claimed("a").claimed("b").card("GPU-1", busy=0.9).card("GPU-2", busy=0.0).collected(tmp_path)
    assert hours("allocated", "unallocated", by="pod") == {"": (0, 2)}
    (finding,) = doubts("resource_claims")
    assert finding.message == (
        "2 pods on n1 hold resource claims, and no device's series names them: what they hold and cost is unknown; "
        "up to 2 GPU-hours that count as unallocated are theirs"
    )
    assert (finding.evidence["pods"], finding.evidence["gpu_hours"], finding.teams) == (["ml/a", "ml/b"], "2.0000000000", ("team-a", "team-b"))
    assert doubts("no_measurement") == []


def test_a_pod_of_six_minutes_may_hold_no_more_than_the_boards_of_six_minutes(tmp_path) -> None:
    """Two boards, and a claim from 10:10 to 10:16 that nothing ties to them."""
    times = minutes(10, 16)
    Claims().machine().claimed("a", at=10, times=times).card("GPU-1", busy=0.9).card("GPU-2", busy=0.0).collected(tmp_path)
    (finding,) = doubts("resource_claims")
    # Last seen at 10:15, held until 10:15:30: two boards for 330 seconds.
    assert finding.evidence["gpu_hours"] == "0.1833333333"


def test_a_claim_beside_a_request_or_off_the_gpu_nodes_gives_something_else(tmp_path) -> None:
    """A network device's claim of a pod that asks for a GPU, and one on a node without any."""
    fleet = Claims().node(**{GPU: 2}).bound("a", at=-20, started=-20).claimed("a", "nic").claimed("b", "nic", node="cpu-1").card("GPU-1", "a").card("GPU-2", busy=0.0)
    fleet.put("kube_node_info", {"node": "cpu-1", "system_uuid": "m"}, 1).collected(tmp_path)
    assert hours("allocated", by="pod") == {"a": (1,)}
    assert doubts("resource_claims") == doubts("unknown_node") == []


@pytest.mark.parametrize("order", permutations(range(3)))
def test_an_hour_without_the_exporter_goes_by_the_nearest(order: tuple[int, ...], tmp_path) -> None:
    """The exporter names the pod from 11:15 to 11:45 only: it held its board before and after, in whichever order the hours come."""
    fleet = Claims().machine(LONG).claimed("a", times=LONG)
    fleet.given("GPU-1", "a", times=minutes(75, 105)).collected(tmp_path, hours=order)
    assert [hours("allocated", by="pod", first=n)["a"] for n in range(3)] == [(1,)] * 3
    assert [doubts("resource_claims", n) for n in range(3)] == [[]] * 3


def test_the_exporters_page_of_three_claims(tmp_path) -> None:
    """A whole board, 2g of one and one that two pods share: 1, 2/7 and twice 1/2."""
    fleet = Scraped().put("kube_node_created", {"node": "gpu-dra-05"}, TEN.timestamp() - 86400)
    for space, pod in (("team-llm", "trainer-0"), ("team-vision", "infer-0"), ("team-data", "reader-a"), ("team-data", "reader-b")):
        who = {"namespace": space, "pod": pod, "uid": f"uid-{pod}"}
        fleet.put("kube_pod_info", who | {"node": "gpu-dra-05"}, 1).put("kube_pod_status_scheduled_time", who, TEN.timestamp() - 1200)
        fleet.put("kube_pod_container_state_started", who | {"container": "main"}, TEN.timestamp() - 1200)
    fleet.page("i-dra-claims").collected(tmp_path)
    assert figures("allocated", "used", "unallocated") == {
        "trainer-0": (1, 0.955, 0), "infer-0": (0.285714, 0.202857, 0), "reader-a": (0.5, 0.2155, 0), "reader-b": (0.5, 0.2155, 0), "": (0, 0, 0.714286),
    }  # fmt: skip


