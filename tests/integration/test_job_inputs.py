"""What a job's explanation says of its inputs, where these are odd: slices, doubtful samples, gaps, several clusters."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from finops import pipeline
from finops.job.explain import explain
from finops.job.question import question
from ingest.collect import collect
from ingest.sources.openmetrics import open_file
from tests.cases_opencost.ground import A100, GPU, HOUR, T4, TEN, WHOLE, Ground, cluster, price, rule
from tests.fleet import minutes
from tests.integration.test_job import AT, owned, printed, refused, squeezed, told

D = Decimal
ONE_G, TWO_G = "nvidia_com_mig_1g_5gb", "nvidia_com_mig_2g_10gb"
pytestmark = pytest.mark.django_db


def test_a_pod_with_slices_of_two_sizes(tmp_path) -> None:
    """1/7 GPU and 2/7 GPU for an hour at 7.00: 3/7 GPU-hour, stored as 0.4285714286, costs 3.0000000002."""
    price("7")
    fleet = Ground().node(**{ONE_G: 1, TWO_G: 1}).hold("a", resource=ONE_G).hold("a", resource=TWO_G)
    fleet.slice("GPU-1", "9", "1g.5gb", "a").slice("GPU-1", "5", "2g.10gb", "a").collected(tmp_path)
    found = told("ml/a")
    (charge,) = found.pods[0].charges
    assert (charge.times, charge.missing) == (((Fraction(1, 7), 3600), (Fraction(2, 7), 3600)), 0)
    assert found.sums.cost == D("3.0000000002") and [held.gpus for held in found.pods[0].held] == [Fraction(1, 7), Fraction(2, 7)]
    text = printed("ml/a")
    assert "1/7 GPU × 1 h + 2/7 GPU × 1 h = 0.4286 GPU-hours × 7.00 CHF = 3.00 CHF" in text
    assert "GPU-1/9" in text and "GPU-1/5" in text


def test_an_hour_that_is_still_running(tmp_path) -> None:
    """Read up to 10:40: 40 minutes, stored as 0.6666666667 GPU-hours, at 3.00 are 2.0000000001; it holds on."""
    price("3")
    fleet = Ground().node().hold("a").card("GPU-1", "a")
    (tmp_path / "fleet.om").write_text("\n".join([*fleet.lines, "# EOF\n"]))
    row, until = cluster(), TEN + timedelta(minutes=40)
    assert collect(row, [(TEN, TEN + HOUR)], source=open_file(tmp_path / "fleet.om"), until=until, settled=until) == []
    pipeline.account(row)
    found = told("ml/a")
    (charge,) = found.pods[0].charges
    assert (charge.end - AT, charge.missing, found.sums.cost, found.pods[0].held[0].ended.at) == (2400, 0, D("2.0000000001"), None)
    assert "1 hour of the window without complete data" in printed("ml/a")


def test_hours_that_were_not_collected_are_not_told(tmp_path) -> None:
    """Ten and twelve o'clock are there, eleven is not."""
    price("2")
    long = minutes(-20, 200)
    Ground().node(times=long).hold("a", times=long).card("GPU-1", "a", times=long).collected(tmp_path, hours=(0, 2))
    found = told("ml/a")
    assert [(c.start - AT, c.end - AT) for c in found.pods[0].charges] == [(0, 3600), (7200, 10800)]
    assert (found.sums.cost, found.differences) == (4, ())


def test_a_lease_that_gave_way(tmp_path) -> None:
    """Last seen at 10:25, half an interval of 2 min 30 s after it; from 10:26 on the node's only GPU is another's: 90 s less, 0.025."""
    price("2")
    cluster(interval=300)
    fleet = Ground().node(times=WHOLE).hold("a", times=range(0, 1501, 300), bound=0)
    fleet.card("GPU-1", "a", times=range(0, 1501, 300))
    fleet.hold("b", times=range(1800, 7201, 300), bound=1560).collected(tmp_path)
    (charge,) = told("ml/a").pods[0].charges
    assert [d.estimated for d in told("ml/a").pods[0].devices] == [False]  # one after the other, not beside each other
    assert (charge.expected, charge.missing) == (D("0.4583333333"), D("0.0250000000"))
    assert "1 GPU × 27 min 30 s − 0.0250 = 0.4333 GPU-hours × 2.00 CHF = 0.87 CHF" in printed("ml/a")


def test_an_end_at_the_devices_next_lease(tmp_path) -> None:
    """The same, and the device names the newcomer: the lease itself ends at 10:26."""
    price("2")
    cluster(interval=300)
    fleet = Ground().node(times=WHOLE).hold("a", times=range(0, 1501, 300), bound=0)
    fleet.card("GPU-1", "a", times=range(0, 1501, 300)).card("GPU-1", "b", times=range(1800, 7201, 300))
    fleet.hold("b", times=range(1800, 7201, 300), bound=1560).collected(tmp_path)
    (charge,) = told("ml/a").pods[0].charges
    assert (charge.expected, charge.missing) == (D("0.4333333333"), 0)
    assert "another pod was bound to its device" in " ".join(printed("ml/a").split())


def test_a_frozen_profiling_figure(tmp_path) -> None:
    price("2")
    fleet = Ground().node().hold("a").card("GPU-1", "a", busy=0.0)
    labels = {"UUID": "GPU-1", "Hostname": "n1", "modelName": "NVIDIA A100-SXM4-40GB", "exported_pod": "a", "exported_namespace": "ml"}
    fleet.put("DCGM_FI_DEV_GPU_UTIL", labels, 80).collected(tmp_path)
    found = told("ml/a")
    assert [(d.source, d.frozen, d.samples) for d in found.pods[0].devices] == [("gpu_util", True, 60)]
    assert (found.sums.used_gpu_hours, [d.kind for d in found.doubts]) == (D("0.8"), ["frozen_profiling"])
    assert "profiling was frozen, GPU_UTIL taken instead" in printed("ml/a")


def test_rejected_samples_and_a_device_told_by_elimination(tmp_path) -> None:
    """Of sixty samples fifteen say 2.0, which no ratio is."""
    price("2")
    fleet = Ground().node().hold("a").card("GPU-1", busy=0.5, times=minutes(-20, 30)).card("GPU-1", busy=2.0, times=minutes(30, 45))
    fleet.card("GPU-1", busy=0.5, times=minutes(45, 140)).collected(tmp_path)
    found = told("ml/a")
    assert [(d.samples, d.rejected, d.inferred, d.estimated) for d in found.pods[0].devices] == [(45, 15, True, False)]
    assert sorted(d.kind for d in found.doubts) == ["inferred_device", "rejected_samples"]
    assert "inferred: no series names the pod, it was told by elimination; 15 samples rejected" in squeezed(printed("ml/a"))


def test_a_label_that_claims_a_reserved_word(tmp_path) -> None:
    price("2")
    rule(0, "from_pod_label", label="team")
    fleet = Ground().node().hold("a").card("GPU-1", "a")
    fleet.put("kube_pod_labels", {"namespace": "ml", "pod": "a", "uid": "uid-ml-a", "label_team": "unallocated"}, 1).collected(tmp_path)
    found = told("ml/a")
    assert (found.teams, [d.kind for d in found.doubts]) == (("unassigned",), ["reserved_team_label"])
    assert "pod label team says unallocated and gives the reserved word unallocated, which counts as unassigned" in squeezed(printed("ml/a"))


def test_a_rule_that_ends_within_the_hour(tmp_path) -> None:
    """The first entry holds until 10:45, then the second: 45 and 15 minutes at 2.00."""
    price("2")
    rule(0, "match", name="old", match={"namespace": "ml"}, end=TEN + timedelta(minutes=45))
    rule(1, "match", name="new", match={"namespace": "ml"})
    Ground().node().hold("a").card("GPU-1", "a").collected(tmp_path)
    charges = told("ml/a").pods[0].charges
    assert [(c.decided.team, c.decided.place, c.end - c.start, c.sums.cost, c.restated) for c in charges] == [
        ("old", 1, 2700, D("1.5"), ()),
        ("new", 2, 900, D("0.5"), ()),
    ]


def test_one_name_in_two_clusters(tmp_path) -> None:
    price("2", cluster="lab")
    price("3", cluster="far")
    fleet = Ground().node().hold("a").card("GPU-1", "a")
    fleet.collected(tmp_path)
    fleet.collected(tmp_path, cluster="far")
    assert refused("ml/a") == "ml/a is 2 jobs; choose one: --cluster far --kind Pod; --cluster lab --kind Pod"
    assert [told("ml/a", cluster=name).sums.cost for name in ("lab", "far")] == [2, 3]


def test_a_pod_of_the_same_name_that_came_after_has_its_own_findings(tmp_path) -> None:
    """Both ran unmeasured beside one that was measured: each hour's finding touches its own pod."""
    price("2")
    fleet = Ground().node(**{GPU: 2}).hold("b").card("GPU-2", "b")
    fleet.hold("a", uid="first", times=minutes(0, 50)).hold("a", uid="second", times=minutes(60, 110)).collected(tmp_path, hours=(0, 1))
    found = told("ml/a")
    assert [(pod.uid, pod.sums.unmeasured_gpu_hours > 0) for pod in found.pods] == [("first", True), ("second", True)]
    assert [(d.kind, d.subject.split(" ")[0]) for d in found.doubts] == [("no_measurement", "first"), ("no_measurement", "second")]
    early = explain(question("ml/a", end="2026-10-06T11:00"))
    assert [d.subject.split(" ")[0] for d in early.doubts] == ["first"]


def test_a_pod_whose_device_is_told_in_one_hour_only(tmp_path) -> None:
    """A node with an A100 and a T4; only at eleven a series names the pod's T4: both hours are the T4's, 0.50 each."""
    price("3", gpu_model=A100)
    price("0.50", gpu_model=T4)
    fleet = Ground().node(**{GPU: 2}).hold("a").card("GPU-1", model=A100).card("GPU-2", model=T4)
    fleet.card("GPU-2", "a", model=T4, times=minutes(80, 110)).collected(tmp_path, hours=(0, 1))
    found = told("ml/a")
    assert [(c.gpu_model, c.times, c.missing, c.sums.cost) for c in found.pods[0].charges] == [(T4, ((Fraction(1), 7200),), 0, 1)]
    assert found.pods[0].held[0].gpus == 1


def test_a_pod_of_the_same_name_in_another_job_keeps_its_findings(tmp_path) -> None:
    price("2")
    fleet = Ground().node(**{GPU: 2}).hold("b").card("GPU-2", "b")
    fleet.hold("a", uid="uid-ml-a", times=minutes(0, 20)).hold("a", uid="second", times=minutes(30, 50))
    owned(fleet, "a", "Job", "x", minutes(0, 20)).collected(tmp_path)
    assert [d.subject.split(" ")[0] for d in told("ml/a").doubts] == ["second"]
    assert [d.subject.split(" ")[0] for d in told("ml/x").doubts] == ["uid-ml-a"]


def test_labels_that_changed_in_an_hour_that_was_not_collected(tmp_path) -> None:
    """Red at ten, blue at twelve; nothing was read in between."""
    price("2")
    rule(0, "from_pod_label", label="team")
    long, who = minutes(-20, 200), {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"}
    fleet = Ground().node(times=long).hold("a", times=long).card("GPU-1", "a", times=long)
    fleet.put("kube_pod_labels", who | {"label_team": "red"}, 1, minutes(-20, 90)).put("kube_pod_labels", who | {"label_team": "blue"}, 1, minutes(90, 200))
    fleet.collected(tmp_path, hours=(0, 2))
    assert [(c.decided.team, c.restated) for c in told("ml/a").pods[0].charges] == [("red", ()), ("blue", ())]


def test_each_hour_goes_by_its_own_devices(tmp_path) -> None:
    """The pod's card is the A100 at ten and the T4 at eleven: 3.00 and 0.50."""
    price("3", gpu_model=A100)
    price("0.50", gpu_model=T4)
    fleet = Ground().node(**{GPU: 2}).hold("a").card("GPU-1", model=A100).card("GPU-2", model=T4)
    fleet.card("GPU-1", "a", model=A100, times=minutes(5, 45)).card("GPU-2", "a", model=T4, times=minutes(75, 105))
    fleet.collected(tmp_path, hours=(0, 1))
    assert [(c.gpu_model, c.missing, c.sums.cost) for c in told("ml/a").pods[0].charges] == [(A100, 0, 3), (T4, 0, D("0.5"))]
