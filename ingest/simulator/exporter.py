"""What the DCGM exporter of one node prints: a row per device and family, labelled with the pod the kubelet gave it to.

Label names and order, value ranges and what a MIG instance lacks follow NVIDIA's dcgm-exporter 4.2; a board shared by
time-slicing has one row per pod, each with the whole board's value. T4 boards have no profiling metrics here.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ingest.simulator.curves import Floats
from ingest.simulator.fleet import MEMORY, T4, WATTS, Device, Node
from ingest.simulator.pods import Pod
from ingest.simulator.series import Labels, Track, named
from ingest.simulator.weeks import digest

DRIVER = "550.127.08"
PROFILING, UTILISATION = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
Load = tuple[Floats, Floats, Floats]  # busy, memory in MiB, SM activity


def card(device: Device, node: Node, replica: int = 0) -> str:
    """How a pod's `cards` name a device: "0", "2:1" for a MIG instance, "0#1" for the second replica of a board."""
    if device.instance:
        return f"{device.board}:{device.instance}"
    return f"{device.board}#{replica}" if node.replicas > 1 else str(device.board)


def seats(device: Device, node: Node, pods: Sequence[Pod]) -> list[tuple[Pod, int]]:
    """The pods that hold the device at some time, each with its replica number."""
    names = {card(device, node, replica): replica for replica in range(node.replicas)}
    return [(pod, names[name]) for pod in pods if pod.node == node.name for name in pod.cards if name in names]


def demand(pod: Pod, device: Device, time: Floats) -> Floats:
    """What the pod asks of the device, as a fraction of it; 0 outside its running time."""
    key = int.from_bytes(digest(pod.uid, device.uuid, device.instance)[:8], "big")
    running = (time >= pod.started) & (time < pod.ended)
    return np.where(running, pod.curve.busy(key, time, started=pod.started, ended=pod.ended), 0.0)


def busy(device: Device, taken: Sequence[tuple[Pod, int]], time: Floats) -> Floats:
    """Busy fraction of the device, all its pods together."""
    total = np.zeros(len(time))
    for pod, _ in taken:
        total += demand(pod, device, time)
    return np.round(np.minimum(total, 1.0), 6)


def measured(device: Device, node: Node, fraction: Floats) -> Floats:
    """The busy fraction as the exporter's best family tells it: whole per cents where there is no profiling."""
    return np.round(fraction * 100) / 100 if node.model == T4 else fraction


def tracks(node: Node, pods: Sequence[Pod], time: Floats) -> Iterator[Track]:
    """Every series of the node's exporter at scrape times [n], which lie within the node's life."""
    devices = [(device, seats(device, node, pods)) for device in node.devices()]
    loads = [_load(device, node, taken, time) for device, taken in devices]
    boards: dict[int, Floats] = {}
    for (device, _), load in zip(devices, loads, strict=True):
        boards[device.board] = boards.get(device.board, np.zeros(len(time))) + load[0] * device.slices / 7
    for (device, taken), load in zip(devices, loads, strict=True):
        families = list(_families(device, node, load, boards[device.board]))
        for labels, present in _rows(device, node, taken, time):
            if present.any():
                yield from (Track(named(name, labels), time[present], value[present]) for name, value in families)


def _load(device: Device, node: Node, taken: Sequence[tuple[Pod, int]], time: Floats) -> Load:
    memory, effect = np.zeros(len(time)), np.zeros(len(time))
    for pod, _ in taken:
        running = (time >= pod.started) & (time < pod.ended)
        memory += np.where(running, pod.curve.memory / node.replicas, 0.0)
        effect = np.where(running, pod.curve.effect, effect)
    found = busy(device, taken, time)
    size = MEMORY[node.model] * (device.slices + (device.slices == 3)) / (8 if device.profile else 7)
    return found, np.round(memory * size), np.round(found * effect, 6)


def _families(device: Device, node: Node, load: Load, board: Floats) -> Iterator[tuple[str, Floats]]:
    low, high = WATTS[node.model]
    fraction, memory, effective = load
    yield "DCGM_FI_DEV_GPU_TEMP", np.round(31 + 44 * board)
    yield "DCGM_FI_DEV_POWER_USAGE", np.round(low + (high - low) * board, 3)
    if not device.instance:
        yield UTILISATION, np.minimum(np.round(fraction * (100 if node.model == T4 else 107)), 100)
    yield "DCGM_FI_DEV_FB_USED", memory
    yield "DCGM_FI_DEV_XID_ERRORS", np.zeros(len(board))
    if node.model != T4:
        yield PROFILING, fraction
        yield "DCGM_FI_PROF_SM_ACTIVE", effective


def _rows(device: Device, node: Node, taken: Sequence[tuple[Pod, int]], time: Floats) -> Iterator[tuple[Labels, np.ndarray]]:
    """Label sets of the device, each with the scrapes that show it."""
    labels = _labels(device, node)
    free = np.ones(len(time), dtype=bool)
    for pod, replica in taken:
        assert pod.bound is not None
        held = (time >= pod.bound) & (time < pod.ended)
        free &= ~held
        mine = {"container": pod.container, "namespace": pod.job.namespace, "pod": pod.name}
        yield labels | mine | ({"vgpu": str(replica)} if node.replicas > 1 else {}), held
    yield labels, free


def _labels(device: Device, node: Node) -> Labels:
    found = {"gpu": str(device.board), "UUID": device.uuid, "pci_bus_id": f"00000000:{27 + device.board:02X}:00.0"}
    found |= {"device": f"nvidia{device.board}", "modelName": node.model}
    if device.instance:
        found |= {"GPU_I_PROFILE": device.profile, "GPU_I_ID": device.instance}
    return found | {"Hostname": node.name, "DCGM_FI_DRIVER_VERSION": DRIVER}
