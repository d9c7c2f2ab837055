"""From exporter rows to one clean stream per device."""

import numpy as np

from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.devices import Device, devices

TRAIN = ("ml", "train")
BLANK = 9223372036854775794.0
HALF_MINUTES = [i * 30.0 for i in range(20)]


def samples(*series: tuple[dict[str, str], list[float], list[float]]) -> Samples:
    index = [i for i, (_, times, _) in enumerate(series) for _ in times]
    times = [t for _, ts, _ in series for t in ts]
    values = [v for _, _, vs in series for v in vs]
    return Samples([labels for labels, _, _ in series], np.array(index, np.int32), np.array(times, float), np.array(values, float))


def found(*, profiling=(), utilisation=(), **more) -> list[Device]:
    answers = Answers(0, 3600, {"profiling": samples(*profiling), "utilisation": samples(*utilisation)} | more)
    return devices(answers, {TRAIN}, {"n1"}, configured=None)


def board(uuid: str = "GPU-1", **labels: str) -> dict[str, str]:
    return {"UUID": uuid, "Hostname": "n1", "modelName": "NVIDIA A100-SXM4-40GB", **labels}


def instance(number: str, profile: str = "3g.20gb") -> dict[str, str]:
    return board(GPU_I_ID=number, GPU_I_PROFILE=profile)


def test_the_exporters_own_pod_is_never_the_owner() -> None:
    labels = board(pod="dcgm-exporter-x7k2p", namespace="gpu-operator", exported_pod="train", exported_namespace="ml")
    (device,) = found(utilisation=[(labels, [0, 30], [50, 50])])
    assert {pod: times.tolist() for pod, times in device.named.items()} == {TRAIN: [0, 30]}
    (device,) = found(utilisation=[(board(pod="dcgm-exporter-x7k2p", namespace="gpu-operator"), [0, 30], [50, 50])])
    assert device.named == {}


def test_a_pod_that_holds_nothing_is_not_believed() -> None:
    (device,) = found(utilisation=[(board(pod="web", namespace="ml"), [0], [50])])
    assert device.named == {}


def test_a_request_that_lacks_its_pod_owns_no_board() -> None:
    answers = Answers(0, 3600, {"utilisation": samples((board(), [0, 30], [50, 50]))})
    (device,) = devices(answers, {("", ""), ("ml", "")}, {"n1"}, configured=None)
    assert device.named == {}


def test_a_mig_parent_beside_its_instances_is_dropped() -> None:
    rows = [(board(), [0, 30], [0.9, 0.9]), (instance("1"), [0, 30], [0.5, 0.5]), (instance("2"), [0, 30], [0.25, 0.25])]
    got = found(profiling=rows, utilisation=[(board(), [0, 30], [90, 90])])
    assert [(d.uuid, d.instance, d.slices, d.busy.tolist()) for d in got] == [
        ("GPU-1", "1", 3, [0.5, 0.5]), ("GPU-1", "2", 3, [0.25, 0.25])]  # fmt: skip


def test_an_instance_is_never_measured_by_gpu_util() -> None:
    (device,) = found(utilisation=[(instance("1"), [0, 30], [90, 90])])
    assert (device.time.tolist(), device.source) == ([], "none")


def test_blank_markers_and_nonsense_are_dropped_and_counted() -> None:
    values = [50, BLANK, -1, 103, float("nan"), float("inf"), 100.4]
    (device,) = found(utilisation=[(board(), [0, 30, 60, 90, 120, 150, 180], values)])
    assert (device.time.tolist(), device.busy.tolist()) == ([0, 180], [0.5, 1.0])
    assert device.rejected.tolist() == [30, 60, 90, 120, 150]


def test_a_second_exporter_counts_once() -> None:
    twice = [(board(job="a"), [0, 30, 60], [50, 60, 70]), (board(job="b"), [0, 30, 60], [50, BLANK, 70])]
    (device,) = found(utilisation=twice)
    assert (device.time.tolist(), device.busy.tolist()) == ([0, 30, 60], [0.5, 0.6, 0.7])
    assert device.rejected.tolist() == []


def test_profiling_comes_before_gpu_util() -> None:
    (device,) = found(profiling=[(board(), [0, 30, 60], [0.1, 0.1, 0.1])], utilisation=[(board(), [0, 30, 60], [90, 90, 90])])
    assert (device.busy.tolist(), device.source, device.frozen) == ([0.1, 0.1, 0.1], "gr_engine", False)


def test_gpu_util_stands_in_where_profiling_is_out_of_reach() -> None:
    (device,) = found(profiling=[(board(), [0, 30, 60], [0.1, 0.1, 0.1])], utilisation=[(board(), [0, 60, 90, 120, 300], [90, 90, 90, 90, 90])])
    assert (device.time.tolist(), device.busy.tolist()) == ([0, 30, 60, 120, 300], [0.1, 0.1, 0.1, 0.9, 0.9])
    assert device.source == "mixed"


def test_frozen_profiling_gives_way_to_gpu_util() -> None:
    (device,) = found(profiling=[(board(), HALF_MINUTES, [0.0] * 20)], utilisation=[(board(), HALF_MINUTES, [80.0] * 20)])
    assert device.frozen
    assert device.busy.tolist() == [0.8] * 20
    assert device.source == "gpu_util"


def test_an_idle_card_is_not_frozen() -> None:
    (device,) = found(profiling=[(board(), HALF_MINUTES, [0.0] * 20)], utilisation=[(board(), HALF_MINUTES, [5.0] * 20)])
    assert not device.frozen
    assert device.busy.tolist() == [0.0] * 20


def test_where_a_device_is() -> None:
    address = samples(({"node": "n1", "internal_ip": "10.0.0.7"}, [0], [1]))
    labels = {"UUID": "GPU-1", "instance": "10.0.0.7:9400"}
    (device,) = found(utilisation=[(labels, [0], [1])], node_info=address)
    assert device.node == "n1"
    (device,) = found(utilisation=[({"UUID": "GPU-1", "Hostname": "n1.example.com"}, [0], [1])])
    assert device.node == "n1"
    (device,) = found(utilisation=[({"UUID": "GPU-1", "instance": "10.9.9.9:9400"}, [0], [1])])
    assert device.node == ""


def test_two_pods_on_a_board_make_it_shared() -> None:
    answers = Answers(0, 3600, {"utilisation": samples(
        (board(exported_pod="train", exported_namespace="ml"), HALF_MINUTES, [50.0] * 20),
        (board(exported_pod="serve", exported_namespace="ml"), HALF_MINUTES, [50.0] * 20),
    )})  # fmt: skip
    (device,) = devices(answers, {TRAIN, ("ml", "serve")}, {"n1"}, configured=None)
    assert device.shared
    (alone,) = devices(answers, {TRAIN}, {"n1"}, configured=None)
    assert not alone.shared
