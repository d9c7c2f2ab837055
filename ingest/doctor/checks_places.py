"""Devices against nodes: each board of a node's capacity has a series, and each series a node."""

from collections import defaultdict
from collections.abc import Iterator

from finops.accounting.shares import MIG_PRODUCT, MIG_RESOURCE
from finops.kinds import kind
from ingest.doctor.checks_labels import allow_list
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import Evidence
from ingest.tidy.nodes import Node

RELABEL = ("ServiceMonitor of dcgm-exporter: endpoints: - relabelings: "
           "- {sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: node}")  # fmt: skip
NAME = "dcgm-exporter: env: - {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}"


def unplaced(seen: Evidence) -> Iterator[Diagnosis]:
    """Devices of which no label leads to a node with GPU capacity."""
    known = seen.node_names | {node.name for node in seen.nodes}
    lost = [device for device in seen.devices if device.node not in known]
    if lost:
        shown = named(f"{device.uuid} ({_host(seen, device.uuid) or 'no host name'})" for device in lost)
        yield seen.say("fault", "devices' nodes", f"no GPU node is known for {shown}",
                       "their use reaches nobody: pods on them are unmeasured", f"{RELABEL}, or {NAME}")
    elif seen.devices:
        yield seen.say("ok", "devices' nodes", f"{len(seen.devices)} devices on {len({d.node for d in seen.devices})} nodes")


def host_names(seen: Evidence) -> Iterator[Diagnosis]:
    """Host names that are no node's: the device is found by its exporter's pod or address, which may be used again."""
    odd = {host for device in seen.devices if device.node in seen.node_names
           and (host := _host(seen, device.uuid)) and host not in seen.node_names and host.split(".")[0] not in _short(seen)}
    if odd:
        yield seen.say("warn", "host names", f"Hostname is {named(odd)}, which is no node", "devices are placed by the exporter's pod or address",
                       f"{NAME}, or {RELABEL}")


def without_series(seen: Evidence) -> Iterator[Diagnosis]:
    """Boards of the capacity that no series tells of."""
    boards = _boards(seen)
    bare = [node.name for node in seen.nodes if not boards[node.name] and _ours(node)]
    short = [f"{node.name} ({boards[node.name]} of {_ours(node)})" for node in seen.nodes
             if 0 < boards[node.name] < _ours(node) and not _ambiguous(seen, node, boards[node.name])]
    if bare and seen.devices:
        yield seen.say("fault", "GPUs without series", f"no DCGM series of {named(bare)}",
                       kind("silent_exporter").meaning, kind("silent_exporter").cure)
    if short:
        yield seen.say("warn", "boards without series", f"fewer boards than the capacity on {named(short)}",
                       kind("vanished_board").meaning, kind("vanished_board").cure)
    if seen.nodes and not bare and not short:
        yield seen.say("ok", "GPUs without series", f"every board of {len(seen.nodes)} nodes has one")


def shared(seen: Evidence) -> Iterator[Diagnosis]:
    """Capacity above the boards seen, and no label that tells whether GPUs are shared."""
    boards = _boards(seen)
    unknown = {node.name: f"{node.name} ({sum(node.capacity.values())} of capacity, {boards[node.name]} boards seen)"
               for node in seen.nodes if _ambiguous(seen, node, boards[node.name])}
    if unknown:
        yield seen.say("fault", "sharing", f"no label tells whether GPUs are shared on {named(unknown.values())}",
                       "where they are time-sliced, capacity and its cost are counted several times over", allow_list(seen))


def _boards(seen: Evidence) -> dict[str, int]:
    found: dict[str, set[str]] = defaultdict(set)
    for device in seen.devices:
        found[device.node].add(device.uuid)
    return defaultdict(int, {name: len(uuids) for name, uuids in found.items()})


def _ambiguous(seen: Evidence, node: Node, boards: int) -> bool:
    """More units than boards, read as whole boards, though nothing says that they are."""
    told = seen.node_labels(node.name)
    mig = any(MIG_RESOURCE.match(name) for name in node.capacity) or MIG_PRODUCT.search(told.get("label_nvidia_com_gpu_product", ""))
    labelled = told.get("label_nvidia_com_gpu_count") or told.get("label_nvidia_com_gpu_replicas")
    return 0 < boards < _ours(node) and not mig and not labelled


def _ours(node: Node) -> int:
    """Boards of the makers whose exporter is read."""
    return sum(boards for model, boards in node.models.items() if model not in node.model_of.values())


def _host(seen: Evidence, uuid: str) -> str:
    rows = (row for row in seen.labels("profiling", "utilisation") if uuid in (row.get("UUID"), row.get("uuid")))
    return next((row.get("Hostname") or row.get("hostname") or "" for row in rows), "")


def _short(seen: Evidence) -> set[str]:
    return {name.split(".")[0] for name in seen.node_names}
