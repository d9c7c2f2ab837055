"""Who used which device, worked by hand from small answers."""

from collections import defaultdict

import numpy as np
import pytest

from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.devices import devices
from ingest.tidy.nodes import nodes
from ingest.tidy.pods import pods
from ingest.tidy.seats import seated
from ingest.tidy.use import Use, use

EVERY = [float(t) for t in range(-600, 4200, 60)]
A100, GPU = "NVIDIA A100-SXM4-40GB", "nvidia_com_gpu"


class Cluster:
    """One node n1, the pods put on it, and its cards, as an hour of answers."""

    def __init__(self, capacity: dict[str, int], **node_labels: str) -> None:
        self.series: dict[str, list] = defaultdict(list)
        for resource, n in capacity.items():
            self.put("capacity", {"node": "n1", "resource": resource}, [float(n)] * len(EVERY))
        self.put("node_labels", {"node": "n1", **node_labels}, [1.0], [3600.0])

    def put(self, key: str, labels: dict[str, str], values: list[float], times: list[float] = EVERY) -> "Cluster":
        self.series[key].append((labels, times, values))
        return self

    def pod(self, name: str, quantity: int = 1, *, resource: str = GPU, start: float = 0, end: float = 4200, started: float | None = 0):
        labels = {"namespace": "ml", "pod": name, "uid": f"uid-{name}"}
        times = [t for t in EVERY if start <= t < end]
        request = {**labels, "node": "n1", "resource": resource, "container": "main"}
        self.put("requests", request, [float(quantity)] * len(times), times)
        self.put("scheduled", labels, [start], [3600.0])
        if started is not None:
            self.put("started", labels | {"container": "main"}, [max(start, started)], [3600.0])
        if end < 4200:
            self.put("terminal", labels | {"phase": "Succeeded"}, [1.0], [3600.0])
            self.put("completed", labels, [end], [3600.0])
        return self

    def card(self, uuid: str, busy: float, owner: str = "", *, times: list[float] = EVERY, **labels: str):
        named = {"exported_pod": owner, "exported_namespace": "ml"} if owner else {}
        return self.put("profiling", {"UUID": uuid, "Hostname": "n1", "modelName": A100, **named, **labels}, [busy] * len(times), times)

    def uses(self) -> list[Use]:
        answers = Answers(0, 3600, {key: samples(series) for key, series in self.series.items()})
        held = pods(answers, configured=60)
        cards = devices(answers, {(p.namespace, p.name) for p in held}, {"n1"}, configured=60)
        return use(seated(held, nodes(answers, cards, pool_label="", configured=60), cards), start=0, end=3600)

    def hours(self) -> dict[str, tuple[float, float]]:
        """GPU-hours (measured, busy) by pod."""
        found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for row in self.uses():
            found[row.pod.name][0] += row.measured_seconds * row.share / 3600
            found[row.pod.name][1] += row.busy_seconds / 3600
        return {name: (round(measured, 9), round(busy, 9)) for name, (measured, busy) in found.items()}


def samples(series: list) -> Samples:
    index = [i for i, (_, times, _) in enumerate(series) for _ in times]
    return Samples([labels for labels, _, _ in series], np.array(index, np.int32),
                   np.array([t for _, ts, _ in series for t in ts], float), np.array([v for _, _, vs in series for v in vs], float))  # fmt: skip


def sliced(**more: str) -> Cluster:
    return Cluster({GPU: 4}, label_nvidia_com_gpu_replicas="4", label_nvidia_com_gpu_count="1", **more)


def test_one_pod_one_card() -> None:
    cluster = Cluster({GPU: 1}).pod("a").card("GPU-1", 0.11, "a")
    assert cluster.hours() == {"a": (1.0, 0.11)}
    rows = cluster.uses()
    assert [(row.quarter, row.held_seconds, row.measured_seconds, row.samples) for row in rows] == [
        (0, 900, 900, 15), (900, 900, 900, 15), (1800, 900, 900, 15), (2700, 900, 900, 15)]  # fmt: skip
    assert {tuple(row.histogram) for row in rows} == {(0, 0, 900, *[0] * 17)}
    assert not any(row.inferred for row in rows)


def test_two_cards_one_busy() -> None:
    assert Cluster({GPU: 2}).pod("a", 2).card("GPU-1", 1.0, "a").card("GPU-2", 0.0, "a").hours() == {"a": (2.0, 1.0)}


def test_a_sliced_cards_use_is_shared_out_once() -> None:
    cluster = sliced().pod("a").pod("b").pod("c", 2).card("GPU-1", 0.8)
    assert cluster.hours() == {"a": (0.25, 0.2), "b": (0.25, 0.2), "c": (0.5, 0.4)}


def test_one_pod_alone_on_a_sliced_card_never_uses_more_than_it_holds() -> None:
    assert sliced().pod("a").card("GPU-1", 0.2).hours() == {"a": (0.25, 0.2)}
    assert sliced().pod("a").card("GPU-1", 0.8).hours() == {"a": (0.25, 0.25)}


def test_a_busy_moment_above_the_share_does_not_fill_an_idle_one() -> None:
    cluster = sliced().pod("a")
    cluster.card("GPU-1", 1.0, times=EVERY[::2]).card("GPU-1", 0.0, times=EVERY[1::2])
    measured, busy = cluster.hours()["a"]
    assert (measured, busy) == (0.25, 0.125)


def test_a_pod_that_has_not_started_takes_no_part_in_the_use() -> None:
    cluster = sliced().pod("a").pod("b", started=1800).card("GPU-1", 0.2)
    assert cluster.hours() == {"a": (0.25, 0.15), "b": (0.125, 0.05)}


def test_an_unlabelled_card_belongs_to_the_one_lease_that_lacks_it() -> None:
    cluster = Cluster({GPU: 2}).pod("a").pod("b").card("GPU-1", 0.5, "a").card("GPU-2", 0.25)
    assert cluster.hours() == {"a": (1.0, 0.5), "b": (1.0, 0.25)}
    assert {(row.pod.name, row.inferred) for row in cluster.uses()} == {("a", False), ("b", True)}


def test_two_leases_that_lack_cards_get_none() -> None:
    cluster = Cluster({GPU: 2}).pod("a").pod("b").card("GPU-1", 0.5)
    assert cluster.hours() == {}
    assert cluster.card("GPU-2", 0.25).hours() == {}


def test_more_cards_than_it_lacks_are_not_given() -> None:
    assert Cluster({GPU: 2}).pod("a").card("GPU-1", 0.5).card("GPU-2", 0.25).hours() == {}


def test_leases_one_after_the_other_both_own_the_only_card() -> None:
    cluster = Cluster({GPU: 1}).pod("a", end=1800).pod("b", start=1800, started=1800).card("GPU-1", 0.5)
    assert cluster.hours() == {"a": (0.5, 0.25), "b": (0.5, 0.25)}


def test_an_end_that_nobody_told_is_cut_where_the_next_pod_takes_the_card() -> None:
    """Seen last at 1140, so until 1170; b is bound at 1150: 1150 s and 2450 s, and no second is both's."""
    cluster = Cluster({GPU: 1}).card("GPU-1", 1.0, "a", times=EVERY[:30]).card("GPU-1", 1.0, "b", times=EVERY[30:])
    cluster.pod("b", start=1150)
    who, times = {"namespace": "ml", "pod": "a", "uid": "uid-a"}, [t for t in EVERY if t <= 1140]
    cluster.put("requests", who | {"node": "n1", "resource": GPU, "container": "main"}, [1.0] * len(times), times)
    for key, labels in (("scheduled", who), ("started", who | {"container": "main"})):
        cluster.put(key, labels, [-600.0], [3600.0])
    busy = {name: sum(row.busy_seconds for row in cluster.uses() if row.pod.name == name) for name in "ab"}
    assert busy == {"a": 1150, "b": 2450}


def test_the_exporters_own_pod_is_never_the_owner() -> None:
    cluster = Cluster({GPU: 2}).pod("a", 2)
    for uuid in ("GPU-1", "GPU-2"):
        cluster.card(uuid, 0.5, pod="dcgm-exporter-x", namespace="gpu-operator")
    rows = cluster.uses()
    assert {row.pod.name for row in rows} == {"a"}
    assert all(row.inferred for row in rows)


def test_a_label_counts_only_while_its_pod_holds_the_lease() -> None:
    cluster = Cluster({GPU: 2}).pod("a", end=1800).pod("b", start=1800, started=1800)
    cluster.card("GPU-1", 1.0, "a", times=[t for t in EVERY if t >= 2400]).card("GPU-2", 0.5, "b")
    # The late label of a proves nothing; in a's time both cards are nobody's, and it lacks but one: unmeasured.
    assert cluster.hours() == {"b": (0.5, 0.25)}


def test_a_card_named_for_one_lease_is_the_next_ones_by_elimination() -> None:
    cluster = Cluster({GPU: 1}).pod("a", end=1800).pod("b", start=1800, started=1800)
    cluster.card("GPU-1", 0.5, "a", times=[t for t in EVERY if t < 1800]).card("GPU-1", 0.5, times=[t for t in EVERY if t >= 1800])
    assert cluster.hours() == {"a": (0.5, 0.25), "b": (0.5, 0.25)}


def test_half_of_a_pods_cards_unmeasured_is_half_measured() -> None:
    assert Cluster({GPU: 2}).pod("a", 2).pod("b").card("GPU-1", 1.0, "a").hours() == {"a": (1.0, 1.0)}


def test_a_mig_instance_is_relative_to_itself_and_its_parent_counts_nothing() -> None:
    resource = "nvidia_com_mig_3g_20gb"
    cluster = Cluster({resource: 2}).pod("a", resource=resource).pod("b", resource=resource)
    cluster.card("GPU-1", 0.9).card("GPU-1", 1.0, "a", GPU_I_ID="1", GPU_I_PROFILE="3g.20gb")
    cluster.card("GPU-1", 0.5, "b", GPU_I_ID="2", GPU_I_PROFILE="3g.20gb")
    got = cluster.hours()
    assert got["a"] == pytest.approx((0.428571, 0.428571), abs=1e-6)
    assert got["b"] == pytest.approx((0.428571, 0.214286), abs=1e-6)


def test_a_gap_is_unmeasured_beyond_one_and_a_half_intervals() -> None:
    cluster = Cluster({GPU: 1}).pod("a").card("GPU-1", 1.0, "a", times=[t for t in EVERY if not 900 <= t < 1800])
    rows = cluster.uses()
    # The last sample before the gap is at 840 and speaks until 930; the first after it, at 1800, from 1710.
    assert sum(row.measured_seconds for row in rows) == 2820
    assert sum(row.held_seconds for row in rows) == 3600


def test_a_dropped_sample_is_counted_and_its_neighbours_speak_for_its_time() -> None:
    cluster = Cluster({GPU: 1}).pod("a").card("GPU-1", 0.5, "a", times=[t for t in EVERY if t != 960])
    cluster.card("GPU-1", 9.2e18, "a", times=[960.0])
    rows = cluster.uses()
    assert [row.rejected for row in rows] == [0, 1, 0, 0]
    assert sum(row.busy_seconds for row in rows) == 1800


def test_a_frozen_span_is_gpu_utils_from_its_first_sample_to_its_last() -> None:
    """Half busy but for ten zeros from 600 to 1140, beside which GPU_UTIL is 100: 600 s + 3000 s / 2 = 2100 s."""
    there = [600 <= t <= 1140 for t in EVERY]
    labels = {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100, "exported_pod": "a", "exported_namespace": "ml"}
    cluster = Cluster({GPU: 1}).pod("a").put("profiling", labels, [0.0 if frozen else 0.5 for frozen in there])
    cluster.put("utilisation", labels, [100.0 if frozen else 50.0 for frozen in there])
    assert cluster.hours()["a"] == (1.0, round(2100 / 3600, 9))


def test_frozen_profiling_is_measured_by_gpu_util() -> None:
    cluster = Cluster({GPU: 1}).pod("a").card("GPU-1", 0.0, "a")
    cluster.put("utilisation", {"UUID": "GPU-1", "Hostname": "n1", "modelName": A100}, [80.0] * len(EVERY))
    assert cluster.hours() == {"a": (1.0, 0.8)}
    assert all(row.device.frozen and row.device.source == "gpu_util" for row in cluster.uses())


@pytest.mark.parametrize("busy", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_sum_over_pods_never_exceeds_the_device(busy: float, count: int) -> None:
    cluster = sliced().card("GPU-1", busy)
    for i in range(count):
        cluster.pod(f"p{i}")
    assert sum(used for _, used in cluster.hours().values()) <= busy + 1e-9
