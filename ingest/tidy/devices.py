"""Devices in one hour: one clean stream of busy fractions each, and the pods its series name."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from finops.accounting.usage import REACH, Floats, busy_fraction, frozen, scrape_interval
from ingest.tidy.answers import Answers

POD_LABELS = (
    ("exported_exported_pod", "exported_exported_namespace"),
    ("exported_pod", "exported_namespace"),
    ("pod_name", "pod_namespace"),
    ("pod", "exported_namespace"),
    ("pod", "namespace"),
)


@dataclass(slots=True)
class Device:
    """One board or MIG instance. `time`, `busy`: [n] seconds and fractions; `named`: times at which a series named a pod."""

    uuid: str
    instance: str
    node: str
    model: str
    slices: int
    interval: float
    time: Floats
    busy: Floats
    rejected: Floats  # times of samples that were no measurement
    source: str
    frozen: bool
    named: dict[tuple[str, str], Floats] = field(default_factory=dict)

    @property
    def shared(self) -> bool:
        """Whether two pods are named within one scrape interval of each other."""
        if len(self.named) < 2:
            return False
        moments = sorted((t, pod) for pod, times in self.named.items() for t in times)
        close = sum(a[1] != b[1] and b[0] - a[0] < 2 * self.interval for a, b in zip(moments, moments[1:], strict=False))
        return close > 3


def devices(answers: Answers, known: set[tuple[str, str]], node_names: set[str], *, configured: float | None) -> list[Device]:
    """Every device with a utilisation series. `known`: (namespace, pod) of pods that hold GPUs; no other is believed."""
    rows: dict[tuple[str, str], dict] = defaultdict(lambda: {"profiling": [], "utilisation": [], "labels": {}, "named": {}})
    place = _Places(answers, node_names)
    for key in ("profiling", "utilisation"):
        for labels, times, values in answers.columns(key):
            uuid = labels.get("UUID") or labels.get("uuid") or ""
            row = rows[uuid, labels.get("GPU_I_ID", "")]
            row[key].append((times, values))
            row["labels"] = labels
            if pod := named_pod(labels, known):
                row["named"].setdefault(pod, []).append(times)
    parents = {uuid for uuid, instance in rows if instance}
    return [
        _device(uuid, instance, row, place.node(row["labels"]), configured)
        for (uuid, instance), row in sorted(rows.items())
        if uuid and (instance or uuid not in parents)
    ]


def named_pod(labels: Mapping[str, str], known: set[tuple[str, str]]) -> tuple[str, str] | None:
    """The (namespace, pod) a series is of, if that pod is known to hold GPUs; the exporter's own never is."""
    for pod, namespace in POD_LABELS:
        candidate = labels.get(namespace, ""), labels.get(pod, "")
        if candidate in known:
            return candidate
    return None


def _device(uuid: str, instance: str, row: dict, node: str, configured: float | None) -> Device:
    labels = row["labels"]
    prof_time, prof, prof_bad = _stream(row["profiling"], percent=False)
    util_time, util, util_bad = _stream([] if instance else row["utilisation"], percent=True)
    interval = scrape_interval(prof_time if len(prof_time) else util_time, configured=configured)
    stuck = frozen(prof, prof_time, util, util_time)
    time, busy, source = _prefer(prof_time[~stuck], prof[~stuck], util_time, util, reach=REACH * interval)
    profile = re.match(r"(\d+)g\.", labels.get("GPU_I_PROFILE", ""))
    named = {pod: np.sort(np.concatenate(times)) for pod, times in row["named"].items()}
    return Device(
        uuid,
        instance,
        node,
        labels.get("modelName", ""),
        int(profile[1]) if profile else 0,
        interval,
        time,
        busy,
        prof_bad if len(prof_time) else util_bad,
        source,
        bool(stuck.any()),
        named,
    )


def _stream(series: list[tuple[Floats, Floats]], *, percent: bool) -> tuple[Floats, Floats, Floats]:
    """Copies collapsed to the highest value per instant; times of rejected samples apart."""
    if not series:
        return np.empty(0), np.empty(0), np.empty(0)
    time = np.concatenate([t for t, _ in series])
    busy = busy_fraction(np.concatenate([v for _, v in series]), percent=percent)
    good = ~np.isnan(busy)
    instants, where = np.unique(time[good], return_inverse=True)
    highest = np.zeros(len(instants))
    np.maximum.at(highest, where, busy[good])
    return instants, highest, np.setdiff1d(time[~good], instants)


def _prefer(prof_time: Floats, prof: Floats, util_time: Floats, util: Floats, *, reach: float) -> tuple[Floats, Floats, str]:
    """Profiling, and GPU_UTIL where no profiling sample reaches."""
    if not len(prof_time):
        return util_time, util, "gpu_util" if len(util_time) else "none"
    if not len(util_time):
        return prof_time, prof, "gr_engine"
    after = np.searchsorted(prof_time, util_time)
    to_next = np.where(after < len(prof_time), prof_time[np.minimum(after, len(prof_time) - 1)] - util_time, np.inf)
    to_last = np.where(after > 0, util_time - prof_time[np.maximum(after - 1, 0)], np.inf)
    alone = np.minimum(to_next, to_last) > reach
    time = np.concatenate((prof_time, util_time[alone]))
    order = np.argsort(time, kind="stable")
    return time[order], np.concatenate((prof, util[alone]))[order], "mixed" if alone.any() else "gr_engine"


class _Places:
    """From a series to its node: the target's label, the host name, then the exporter's pod and its address; what two nodes share tells neither."""

    def __init__(self, answers: Answers, names: set[str]) -> None:
        self.names: dict[str, set[str]] = defaultdict(set)
        self.pods: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self.addresses: dict[str, set[str]] = defaultdict(set)
        for name in names:
            self.names[name.split(".")[0]].add(name)
        for labels, _ in answers.last("node_labels"):
            if (node := labels.get("node", "")) in names:
                self.names[labels.get("label_kubernetes_io_hostname", "").split(".")[0]].add(node)
        self.names |= {name: {name} for name in names}
        for labels, _ in answers.last("pod_info"):
            if node := labels.get("node", ""):
                self.pods[labels.get("pod", "")].add((labels.get("namespace", ""), node))
                for key in ("host_ip", "pod_ip"):
                    self.addresses[labels.get(key, "")].add(node)
        for labels, _ in answers.last("node_info"):
            self.addresses[labels.get("internal_ip", "")] = {labels.get("node", "")}

    def node(self, labels: Mapping[str, str]) -> str:
        for name in (labels.get("node", ""), labels.get("Hostname") or labels.get("hostname", "")):
            for known in (self.names.get(name), self.names.get(name.split(".")[0]), {node for _, node in self.pods.get(name, ())}):
                if name and known and len(known) == 1:
                    return next(iter(known))
        pod, instance = labels.get("pod", ""), labels.get("instance", "").rsplit(":", 1)[0]
        of_pod = {node for space, node in self.pods.get(pod, ()) if pod and space == labels.get("namespace", space)}
        at_address = self.addresses.get(instance, set()) if instance else set()
        return next((next(iter(told)) for told in (of_pod, at_address) if len(told) == 1), "")
