"""A world as its exporters tell it: what kube-state-metrics and dcgm-exporter would have shown at each scrape."""

from collections import defaultdict
from collections.abc import Callable, Iterator

from tests.verification.meter import PROFILING, UTILISATION
from tests.verification.told import Series
from tests.verification.worlds import Machine, Pod, Slot, World

Value = float | Callable[[int], float]


def exported(world: World) -> tuple[Series, ...]:
    return tuple(s for s in (*_kubernetes(world), *_devices(world)) if s.samples)


def _scrapes(world: World, offset: int, silent: tuple[int, int]) -> list[int]:
    return [t for t in range(world.first + offset, world.end, world.step) if not silent[0] <= t < silent[1]]


def _kubernetes(world: World) -> Iterator[Series]:
    scrapes = _scrapes(world, world.offset, world.silent)

    def told(name: str, labels: dict[str, str], value: Value, since: int, until: int | None) -> Series:
        times = [t for t in scrapes if since <= t and (until is None or t < until)]
        return Series(name, labels, tuple((t, float(value(t) if callable(value) else value)) for t in times))

    for machine in world.machines:
        for name, labels, value in _node(machine):
            yield told(name, labels, value, machine.joined, machine.left)
    for pod in world.pods:
        for name, labels, value, since, until in _pod(pod):
            yield told(name, labels, value, max(since, pod.bound), pod.gone if until is None else min(until, pod.gone or until))


def _node(machine: Machine) -> Iterator[tuple[str, dict[str, str], float]]:
    node = {"node": machine.name}
    slots = [slot for group in machine.slots.values() for slot in group]
    labels = {"label_karpenter_sh_nodepool": machine.pool, "label_karpenter_sh_capacity_type": machine.capacity_type,
              "label_nvidia_com_gpu_replicas": "3"}  # fmt: skip
    if machine.labelled:
        labels["label_nvidia_com_gpu_count"] = str(len({slot.uuid for slot in slots}))
    labels["label_nvidia_com_gpu_product"] = slots[0].model.replace(" ", "-")
    for resource, group in machine.slots.items():
        yield "kube_node_status_capacity", node | {"resource": resource, "unit": "integer"}, len(group)
    yield "kube_node_labels", node | labels, 1
    yield "kube_node_created", node, machine.joined


def _pod(pod: Pod) -> Iterator[tuple[str, dict[str, str], Value, int, int | None]]:
    """(name, labels, value, since, until)."""
    who, begin = {"namespace": pod.namespace, "pod": pod.name, "uid": pod.uid}, pod.bound
    ask = {"node": pod.machine.name, "resource": pod.resource, "unit": "integer"}
    init, main = "kube_pod_init_container_resource_requests", "kube_pod_container_resource_requests"
    if pod.asks in ("init", "sidecar"):
        yield init, who | ask | {"container": "side"}, len(pod.places), begin, None
    if pod.asks != "sidecar":
        yield (
            main,
            who | ask | {"container": "main"},
            len(pod.places) if pod.asks == "container" else max(len(pod.places) - 1, 1),
            begin,
            None,
        )
    if pod.asks == "sidecar":
        yield "kube_pod_init_container_info", who | {"container": "side", "restart_policy": "Always"}, 1, begin, None
    yield "kube_pod_status_scheduled_time", who, begin, begin, None
    if pod.started is not None:
        yield (
            "kube_pod_container_state_started",
            who | {"container": "side" if pod.asks == "sidecar" else "main"},
            pod.started,
            pod.started,
            None,
        )
    over = pod.over if pod.over is not None else 2**40
    last = "Failed" if pod.end == "failed" else "Succeeded"
    started = over if pod.started is None else pod.started
    yield "kube_pod_status_phase", who | {"phase": "Pending"}, lambda t: t < started, begin, None
    yield "kube_pod_status_phase", who | {"phase": "Running"}, lambda t: started <= t < over, begin, None
    for phase in ("Succeeded", "Failed"):
        yield "kube_pod_status_phase", who | {"phase": phase}, lambda t, phase=phase: t >= over and phase == last, begin, None
    if pod.end == "completed":
        yield "kube_pod_completion_time", who, over, over, None
    yield from _owned(pod, who)


def _owned(pod: Pod, who: dict[str, str]) -> Iterator[tuple[str, dict[str, str], Value, int, int | None]]:
    begin, space, job = pod.bound, {"namespace": pod.namespace}, f"job-{pod.name}"
    kind = {"Deployment": "ReplicaSet", "CronJob": "Job"}.get(pod.owner, pod.owner)
    if kind:
        yield "kube_pod_owner", who | {"owner_kind": kind, "owner_name": job, "owner_is_controller": "true"}, 1, begin, None
    above = {"owner_kind": pod.owner, "owner_name": "nightly", "owner_is_controller": "true"}
    if pod.owner == "Deployment":
        yield "kube_replicaset_owner", space | {"replicaset": job} | above, 1, begin, None
    if pod.owner == "CronJob":
        yield "kube_job_owner", space | {"job_name": job} | above, 1, begin, None
    turn = pod.turn if pod.turn is not None else 2**40
    yield "kube_pod_labels", who | {"label_app": "x"} | ({"label_team": pod.team} if pod.team else {}), 1, begin, turn
    yield "kube_pod_labels", who | {"label_app": "x", "label_team": "moved"}, 1, turn, None


def _devices(world: World) -> Iterator[Series]:
    for machine in world.machines:
        scrapes = [
            t for t in _scrapes(world, machine.offset, machine.silent) if machine.joined <= t and (machine.left is None or t < machine.left)
        ]
        seen = {}
        for resource, slots in machine.slots.items():
            for place, slot in enumerate(slots):
                seen.setdefault(slot, []).append((resource, place))
        for number, (slot, units) in enumerate(seen.items()):
            holders = [
                pod for pod in world.pods if pod.machine.name == machine.name and {(pod.resource, p) for p in pod.places} & set(units)
            ]
            yield from _device(machine, slot, number, scrapes, holders)


def _device(machine: Machine, slot: Slot, number: int, scrapes: list[int], holders: list[Pod]) -> Iterator[Series]:
    """Its series under each set of labels that it bears in turn, or, where a board names all of its pods, at once."""
    labels = {"UUID": slot.uuid, "Hostname": machine.name, "modelName": slot.model, "instance": f"{machine.name}:9400"}
    if slot.instance:
        labels |= {"GPU_I_ID": slot.instance, "GPU_I_PROFILE": slot.profile}
    by_owner: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for place, t in enumerate(scrapes):
        busy = machine.levels[(t // 300 + number) % len(machine.levels)]
        there = sorted((pod for pod in holders if pod.bound <= t and (pod.over is None or t < pod.over)), key=lambda pod: pod.bound)
        shown = there if machine.replicas == 1 or machine.named == "all" else there[-1:] if machine.named == "last" else []
        for owner in {(pod.namespace, pod.name) for pod in shown} or {("", "")}:
            by_owner[owner].append((t, dict(machine.bad).get(place + number, busy)))
    for (namespace, pod), samples in by_owner.items():
        owner = {"exported_namespace": namespace, "exported_pod": pod} if pod else {}
        if machine.profiling:
            yield Series(
                PROFILING, labels | owner, tuple((t, 0.0 if machine.frozen[0] <= t < machine.frozen[1] else v) for t, v in samples)
            )
        if not slot.instance:
            yield Series(UTILISATION, labels | owner, tuple((t, round(v * 100) if v in machine.levels else v * 100) for t, v in samples))
    if slot.instance == "1":  # the parent's row beside its instances
        yield Series(PROFILING, {k: v for k, v in labels.items() if not k.startswith("GPU_I")}, tuple((t, 1.0) for t in scrapes))
