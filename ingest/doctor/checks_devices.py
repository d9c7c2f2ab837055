"""What DCGM's series say of devices, and whether they can be believed."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from finops.accounting.usage import busy_fraction
from finops.kinds import kind
from finops.kinds.measuring import KUBELET
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import RECENT, Evidence
from ingest.doctor.symptoms import COUNTERS, LINES
from ingest.tidy.rows import POD_LABELS, named_pod

BOTH = ("profiling", "utilisation")


def utilisation(seen: Evidence) -> Iterator[Diagnosis]:
    """Which of the two busy figures are there; a MIG instance has profiling only."""
    profiling, percent = seen.names("profiling"), seen.names("utilisation")
    if not profiling and not percent and seen.others_only:
        shown = named({model for node in seen.nodes for model in node.models})
        yield seen.say("ok", "dcgm", f"only GPUs of other makers are there ({shown}): allocation and cost, no use")
        return
    if not profiling and not percent:
        yield seen.say("fault", "dcgm", "no DCGM utilisation series in the last 15 minutes",
                       "everything is unmeasured: no use, no idle time, no efficiency", COUNTERS.format(LINES["utilisation"]))
        return
    known = {(row.get("UUID") or row.get("uuid"), row.get("GPU_I_ID", "")) for row in seen.labels("profiling")}
    bare = [device.uuid for device in seen.devices if (device.uuid, device.instance) not in known]
    if not profiling or bare:
        yield seen.say("warn", "profiling", f"no profiling series on {named(bare) or 'any device'}; GPU_UTIL is used",
                       "use is overstated: any kernel counts as a wholly busy GPU, and MIG instances are unmeasured",
                       COUNTERS.format(LINES["profiling"]))
    if not percent and any(not device.instance for device in seen.devices):
        yield seen.say("warn", "utilisation", "no GPU_UTIL series", "hours in which profiling is frozen or absent are unmeasured",
                       COUNTERS.format(LINES["utilisation"]))


def pod_label(seen: Evidence) -> Iterator[Diagnosis]:
    """Whether series name the pods that hold GPUs, and under which label."""
    rows = [row for row in seen.labels(*BOTH)]
    found = {pod: row for row in rows if (pod := named_pod(row, seen.holders))}
    # A pod that has just been bound may not have been scraped yet.
    settled = {(pod.namespace, pod.name) for pod in seen.holding if pod.lease and pod.lease.start < seen.at - RECENT} & seen.holders
    silent = settled - set(found)
    if not seen.holders or not rows or not found and not silent:
        return
    if found:
        label = next(pod for pod, space in POD_LABELS if any((row.get(space, ""), row.get(pod)) in found for row in found.values()))
        yield seen.say("ok", "pod label", f"device series name {len(found)} of {len(seen.holders)} pods that hold GPUs, by {label}")
    else:
        own = {f"{row.get('namespace', '')}/{row['pod']}" for row in rows if row.get("pod")}
        said = f"; the pods they name hold none: {named(own)}" if own else "; they bear no pod at all"
        yield seen.say("fault", "pod label", f"device series name none of the {len(seen.holders)} pods that hold GPUs{said}",
                       kind("unnamed_devices").meaning, KUBELET if own else kind("unnamed_devices").cure)
        return
    if silent:
        yield seen.say("warn", "unnamed pods", f"no device series names {named('/'.join(pod) for pod in silent)}",
                       "their use is known only where they alone can hold the device", KUBELET)


def identity(seen: Evidence) -> Iterator[Diagnosis]:
    """A series without its board's UUID belongs to no device."""
    lacking = [row for row in seen.labels(*BOTH) if not (row.get("UUID") or row.get("uuid"))]
    if lacking:
        yield seen.say("fault", "uuid", f"{len(lacking)} device series bear no UUID", "they are left out: their GPUs are unmeasured",
                       "ServiceMonitor of dcgm-exporter: metricRelabelings: no labeldrop of UUID")


def rejected(seen: Evidence) -> Iterator[Diagnosis]:
    """Blank markers and values beyond their range: they are no measurement."""
    bad: Counter[str] = Counter()
    for key in BOTH:
        for labels, _, values in seen.answers.columns(key):
            bad[labels.get("UUID") or labels.get("uuid", "")] += int(np.isnan(busy_fraction(values, percent=key == "utilisation")).sum())
    everything = sum(len(seen.found[key]) for key in BOTH)
    if bad.total():
        shown = named(uuid for uuid, n in bad.items() if n)
        yield seen.say("warn", "rejected values", f"{bad.total()} of {everything} samples are blank markers or nonsense, on {shown}",
                       kind("rejected_samples").meaning, kind("rejected_samples").cure)
    elif everything:
        yield seen.say("ok", "rejected values", f"none of {everything} samples")


def scale(seen: Evidence) -> Iterator[Diagnosis]:
    """GPU_UTIL is a per cent; fractions below 1 everywhere were divided on the way."""
    if seen.names("utilisation").keys() == {"DCGM_FI_DEV_GPU_UTIL_RATIO"}:
        return
    value = seen.found["utilisation"].value
    value = value[np.isfinite(value)]
    if len(value) and value.max() <= 1 and ((value > 0) & (value < 1)).any():
        yield seen.say("fault", "scale", f"GPU_UTIL lies between 0 and 1 (highest {value.max():g}): it was rescaled on the way",
                       "use is a hundredth of what it is wherever profiling is absent",
                       "Prometheus: rule_files: remove the rule that divides DCGM_FI_DEV_GPU_UTIL by 100, or record it under another name")


def frozen(seen: Evidence) -> Iterator[Diagnosis]:
    """Profiling at exactly 0 beside a busy GPU_UTIL."""
    stuck = [device.uuid for device in seen.devices if device.frozen]
    if stuck:
        yield seen.say("warn", "frozen profiling", f"profiling is stuck at 0 while GPU_UTIL is busy on {named(stuck)}",
                       kind("frozen_profiling").meaning, kind("frozen_profiling").cure)


def parents(seen: Evidence) -> Iterator[Diagnosis]:
    """Boards listed beside their own MIG instances."""
    rows = seen.labels("profiling")
    sliced = {row.get("UUID") for row in rows if row.get("GPU_I_ID")}
    double = {str(row.get("UUID")) for row in rows if not row.get("GPU_I_ID") and row.get("UUID") in sliced}
    if double:
        yield seen.say("warn", "MIG parents", f"{named(double)} are listed beside their own instances",
                       "harmless: a board is left out where its instances are there", "dcgm-exporter: -d f (env DCGM_EXPORTER_DEVICES_STR: f)")
