"""What is doubtful about an hour's answers: the hour is [0, 3600), a sample a minute, node n1 has GPU-1 and GPU-2 of one model."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest

from finops.accounting.leases import Sightings
from finops.findings import Finding, Part
from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.devices import devices
from ingest.tidy.nodes import nodes
from ingest.tidy.owners import Workload
from ingest.tidy.pods import Pod
from ingest.tidy.use import use
from ingest.tidy.window_findings import Seen, findings
from tests.unit.ingest.tidy.test_devices import samples

GPU = "nvidia_com_gpu"
WHOLE = [60.0 * n for n in range(-10, 70)]
Rows = list[tuple[dict[str, str], list[float], list[float]]]


def pod(name: str, *, node: str = "n1", resource: str = GPU, start: float = -600.0, end: float = 4200.0, scheduled: float | None = None, **seen: float) -> Pod:
    sightings = Sightings(start, end, 30.0, start if scheduled is None else scheduled, None, seen.get("started", start))
    return Pod(f"uid-{name}", resource, "ml", name, node, 1, sightings, Workload("Pod", name, name), [], [], [])


def row(labels: dict[str, str], value: float, times: Iterable[float] = WHOLE) -> tuple[dict[str, str], list[float], list[float]]:
    kept = list(times)
    return labels, kept, [value] * len(kept)


def board(uuid: str, owner: str = "", *, node: str = "n1", value: float = 0.5, times: Iterable[float] = WHOLE, **more: str):
    labels = {"UUID": uuid, "Hostname": node, "modelName": "A100", **more}
    return row(labels | ({"exported_pod": owner, "exported_namespace": "ml"} if owner else {}), value, times)


def told(pods: list[Pod], profiling: Rows, *, capacity: dict[str, int] | None = None, resource: str = GPU, end: float = 3600.0, **more: Samples) -> list[Finding]:
    units = capacity or {"n1": 2}
    answers = {
        "profiling": samples(*profiling),
        "capacity": samples(*(row({"node": node, "resource": resource}, n) for node, n in units.items())),
        "pod_owner": samples(row({"namespace": "ml", "pod": "a", "owner_kind": "<none>"}, 1)),
    }
    seen = Answers(0.0, 3600.0, answers | more)
    cards = devices(seen, {(p.namespace, p.name) for p in pods}, set(units), configured=60.0)
    machines = nodes(seen, cards, pool_label="", configured=60.0)
    return findings(Seen(seen, pods, machines, cards, use(pods, machines, cards, start=0.0, end=end), end))


def kinds(*args, **how) -> list[tuple[str, str]]:
    return [(found.kind, found.subject) for found in told(*args, **how)]


A, B = pod("a"), pod("b")
SOUND = [board("GPU-1", "a"), board("GPU-2", "b")]


def test_a_sound_hour_has_none() -> None:
    assert kinds([A, B], SOUND) == []
    assert kinds([], [board("GPU-1"), board("GPU-2")]) == []


def test_they_are_the_collectings_and_name_the_leases() -> None:
    (found,) = told([A, B], [board("GPU-1"), board("GPU-2")])
    assert (found.kind, found.origin, found.evidence) == ("unnamed_devices", "collecting", {"node": "n1"})
    assert found.reach == (Part({"lease": (f"uid-a {GPU}", f"uid-b {GPU}")}),)


@pytest.mark.parametrize(
    ("pods", "fires"),
    [([A], True), ([pod("a", start=3301.0)], False), ([pod("a", start=3300.0)], True), ([], False)],
    ids=["all hour", "ran 299 s", "ran 300 s", "nobody"],
)
def test_series_without_pods_are_a_fault_where_a_pod_has_run(pods: list[Pod], fires: bool) -> None:
    assert (("unnamed_devices", "n1") in kinds(pods, [board("GPU-1"), board("GPU-2")])) == fires


def test_several_nodes_whose_series_name_no_pod_are_one_fault() -> None:
    away = pod("b", node="n2")
    rows = [board("GPU-1"), board("GPU-2"), board("GPU-3", node="n2"), board("GPU-4", node="n2")]
    assert kinds([A, away], rows, capacity={"n1": 2, "n2": 2}) == [("unnamed_devices", "every node")]
    assert kinds([A, away], [board("GPU-1", "a"), *rows[1:]], capacity={"n1": 2, "n2": 2}) == [("unnamed_devices", "n2")]


def until(minute: int) -> list[float]:
    return [t for t in WHOLE if t < 60 * minute]


@pytest.mark.parametrize(("minute", "minutes"), [(20, 30), (16, 30), (15, 45), (31, 15), (46, None)], ids=str)
def test_an_exporter_that_falls_silent_for_a_quarter(minute: int, minutes: int | None) -> None:
    found = [f for f in told([A, B], [board("GPU-1", "a", times=until(minute)), board("GPU-2", "b", times=until(minute))]) if f.kind == "silent_exporter"]
    assert [f.evidence["minutes"] for f in found] == ([minutes] if minutes else [])


def test_silence_is_a_fault_only_of_quarters_that_pods_ran_in() -> None:
    early = [replace(each, seen=replace(each.seen, last_held=1230.0)) for each in (A, B)]
    rows = [board("GPU-1", "a", times=until(31)), board("GPU-2", "b", times=until(31))]
    assert kinds(early, rows) == []


def test_gpus_that_no_such_exporter_measures_are_not_missed() -> None:
    assert kinds([pod("a", resource="amd_com_gpu")], [], resource="amd_com_gpu") == []


def test_of_an_hour_that_still_runs_only_what_is_over_is_missed() -> None:
    """It is 10:20; the quarter from 10:15 on is not whole."""
    rows = [board("GPU-1", "a", times=until(15)), board("GPU-2", "b", times=until(15))]
    assert kinds([A, B], rows, end=1200.0) == []


def test_a_board_that_vanishes_beside_one_that_stays() -> None:
    (found,) = told([A, B], [board("GPU-1", "a"), board("GPU-2", "b", times=until(30))])
    assert (found.kind, found.evidence) == ("vanished_board", {"node": "n1", "boards": 2, "seen": 1})
    assert found.reach == (Part({"node": ("n1",)}, ("unmeasured",)), Part({"node": ("n1",)}, ("unallocated",), Fraction(1, 2)))


def test_a_board_that_gives_blanks_is_there() -> None:
    assert kinds([A, B], [board("GPU-1", "a"), board("GPU-2", "b", value=9e18)]) == []


def test_of_two_units_one_board_may_be_all_there_is_unless_a_label_counts_two() -> None:
    counted = samples(row({"node": "n1", "label_nvidia_com_gpu_count": "2"}, 1))
    assert kinds([A], [board("GPU-1", "a")]) == []
    assert kinds([A], [board("GPU-1", "a")], node_labels=counted) == [("vanished_board", "n1")]
    assert kinds([A], [board("GPU-1", "a"), board("GPU-2")], capacity={"n1": 3}) == [("vanished_board", "n1")]


def test_a_shared_board_is_measured_as_one_only_while_two_pods_are_on_it() -> None:
    """Two units of one board. One after the other is no sharing, though they meet in a quarter; own values per pod are no estimate."""
    name = "nvidia_com_gpu_shared"
    a, b = pod("a", resource=name), pod("b", resource=name)
    both = [board("GPU-1", "a"), board("GPU-1", "b")]
    assert kinds([a, b], both, resource=name) == [("shared_without_measurement", "n1")]
    first, then = pod("a", resource=name, end=1170.0), pod("b", resource=name, start=1200.0)
    assert kinds([first, then], [board("GPU-1", "a", times=until(20)), board("GPU-1", "b", times=[t for t in WHOLE if t >= 1200])], resource=name) == []
    own = samples(board("GPU-1", value=60), board("GPU-1", "a", value=40), board("GPU-1", "b", value=20))
    assert kinds([a, b], [], resource=name, utilisation=own) == []


def test_two_exporters_at_a_time_and_one_after_another() -> None:
    assert kinds([A, B], [*SOUND, board("GPU-1", "a", instance="other")]) == [("doubled_exporters", "dcgm-exporter")]
    restarted = [board("GPU-1", "a", times=until(30)), board("GPU-1", "a", instance="other", times=[t for t in WHOLE if t >= 1800])]
    assert kinds([A, B], [*restarted, board("GPU-2", "b")]) == []


def test_two_kube_state_metrics() -> None:
    who = {"namespace": "ml", "pod": "a", "uid": "uid-a", "container": "c", "node": "n1", "resource": GPU}
    twice = samples(row(who, 1), row(who | {"instance": "other"}, 1))
    assert kinds([A, B], SOUND, requests=twice) == [("doubled_kube_state_metrics", "kube-state-metrics")]
    assert kinds([A, B], SOUND, requests=samples(row(who, 1), row(who | {"pod": "b", "uid": "uid-b"}, 1))) == []


def test_pods_under_the_name_of_their_teller() -> None:
    renamed = samples(row({"pod": "ksm", "namespace": "mon", "exported_pod": "a", "exported_namespace": "ml", "node": "n1"}, 1))
    (found,) = told([A, B], SOUND, renamed=renamed)
    assert (found.kind, found.message, found.reach) == (
        "honor_labels", "series of 1 requests bear mon/ksm, kube-state-metrics' own pod", (Part({"node": ("n1",)}),))  # fmt: skip


def test_pods_without_any_owner_told() -> None:
    assert kinds([A, B], SOUND, pod_owner=Samples.empty()) == [("ownerless_pods", "kube_pod_owner")]
    assert kinds([], [board("GPU-1"), board("GPU-2")], pod_owner=Samples.empty()) == []


@pytest.mark.parametrize(("scheduled", "fires"), [(5.0, False), (5.1, True), (-60.0, False)], ids=str)
def test_a_pod_that_was_seen_before_it_was_bound(scheduled: float, fires: bool) -> None:
    assert (("clock_skew", "kube_pod_status_scheduled_time") in kinds([pod("a", start=0.0, scheduled=scheduled, started=60.0), B], SOUND)) == fires


def test_pods_that_share_a_name_for_want_of_a_uid_prove_no_clock_wrong() -> None:
    named = replace(pod("a", start=0.0, scheduled=60.0, started=60.0), uid="ml/a")
    assert kinds([named, B], SOUND) == []
