"""Worlds for Hypothesis: what truly happens on a few nodes, second by second; tests/verification/exports.py tells of it."""

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.verification.told import HOUR

A100, A30, H100, T4 = "NVIDIA A100-SXM4-40GB", "NVIDIA A30", "NVIDIA H100 80GB HBM3", "Tesla T4"
TEN = 1791280800  # 2026-10-06 10:00 UTC
LEVELS = (0.0, 0.11, 0.35, 0.5, 0.8, 1.0)
BAD = (float("nan"), float("inf"), -1.0, 1.3, 9223372036854775794.0)


@dataclass(frozen=True, slots=True)
class Slot:
    """What one unit of a resource is of: a board, a replica of it or an instance."""

    uuid: str
    model: str
    instance: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """`resource` → its slots; several resources only under MIG. `named`: whether series of shared boards name all, the last or no pod."""

    name: str
    pool: str
    capacity_type: str
    slots: dict[str, tuple[Slot, ...]]
    replicas: int
    labelled: bool
    joined: int
    left: int | None
    named: str
    profiling: bool
    levels: tuple[float, ...]
    silent: tuple[int, int]
    offset: int
    bad: tuple[tuple[int, float], ...]
    frozen: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pod:
    """Bound, started and over at these seconds; `end`: how: completed, failed (no time told) or deleted. `turn`: its label changes."""

    name: str
    namespace: str
    uid: str
    machine: Machine
    resource: str
    places: tuple[int, ...]
    bound: int
    started: int | None
    over: int | None
    end: str
    gone: int | None
    owner: str
    team: str
    turn: int | None
    asks: str


@dataclass(frozen=True, slots=True)
class World:
    """`silent`: when kube-state-metrics is not scraped."""

    first: int
    hours: int
    zone: str
    step: int
    configured: bool
    offset: int
    silent: tuple[int, int]
    machines: tuple[Machine, ...]
    pods: tuple[Pod, ...]

    @property
    def end(self) -> int:
        return self.first + HOUR * self.hours


@st.composite
def gaps(draw, first: int, end: int, *, likely: int) -> tuple[int, int]:
    """[from, to), empty in most worlds."""
    if not draw(st.integers(0, 9)) < likely:
        return first, first
    begin = draw(st.integers(first, end - 120))
    return begin, begin + draw(st.sampled_from([70, 200, 600, 1500, 2400, 4200]))


def _slots(draw, name: str, kind: str) -> tuple[dict[str, tuple[Slot, ...]], int]:
    """(slots by resource, replicas of a board)."""
    boards = [f"GPU-{name}-{n}" for n in range(draw(st.integers(1, 3)))]
    gpu = "nvidia_com_gpu"
    if kind == "whole":
        model = draw(st.sampled_from([A100, H100, T4]))
        return {gpu: tuple(Slot(uuid, model) for uuid in boards)}, 1
    if kind == "mixed":
        return {gpu: (Slot(f"GPU-{name}-a", A100), Slot(f"GPU-{name}-b", T4), Slot(f"GPU-{name}-c", T4))}, 1
    if kind == "sliced":
        replicas = draw(st.integers(2, 4))
        return {draw(st.sampled_from([gpu, "nvidia_com_gpu_shared"])): tuple(Slot(boards[0], T4) for _ in range(replicas))}, replicas
    model, cuts = draw(st.sampled_from([(A100, "3 2 1"), (A100, "1 1 1 1"), (H100, "4 2 1"), (A30, "2 1 1"), (A30, "1 1")]))
    memory = {A100: "5gb", H100: "10gb", A30: "6gb"}[model]
    found: dict[str, tuple[Slot, ...]] = {}
    for uuid in boards[:2]:
        for place, size in enumerate(cuts.split()):
            profile = f"{size}g.{int(size) * int(memory[:-2])}gb"
            resource = f"nvidia_com_mig_{profile.replace('.', '_')}"
            found[resource] = (*found.get(resource, ()), Slot(uuid, model, str(place + 1), profile))
    return found, 1


@st.composite
def machines(draw, name: str, first: int, end: int, step: int, watched: bool) -> Machine:
    """`watched`: kube-state-metrics is never silent, so that it may join in the first hour and be seen there."""
    kind = draw(st.sampled_from(["whole", "whole", "sliced", "mig", "mixed"]))
    slots, replicas = _slots(draw, name, kind)
    samples = (end - first) // step
    return Machine(
        name, draw(st.sampled_from(["train", "serve"])), draw(st.sampled_from(["spot", "on-demand"])), slots, replicas,
        labelled=kind == "mig" or draw(st.booleans()),
        joined=first - 86400 if not watched or draw(st.booleans()) else draw(st.integers(first - 60, first + HOUR)),
        left=draw(st.none() | st.integers(first + HOUR, end)),
        named=draw(st.sampled_from(["all", "last", "none"])),
        profiling=kind == "mig" or draw(st.booleans()),
        levels=tuple(draw(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4))),
        silent=(first, first) if kind == "mixed" else draw(gaps(first, end, likely=4)),
        offset=draw(st.integers(0, step - 1)),
        bad=tuple(draw(st.lists(st.tuples(st.integers(0, samples), st.sampled_from(BAD)), max_size=4))),
        frozen=(first, first) if kind == "mig" else draw(gaps(first, end, likely=1)),
    )  # fmt: skip


@st.composite
def pods(draw, machine: Machine, first: int, end: int, step: int) -> list[Pod]:
    """Each takes units that are free. Where there are several, free for an interval: with an end that nobody told the ledger
    gives way to a newcomer where the node is full, the accountant where the same device is taken."""
    found: list[Pod] = []
    free = {(resource, n): first - 7200 for resource, slots in machine.slots.items() for n in range(len(slots))}
    lasts = machine.left if machine.left is not None else end + 1
    for n in range(draw(st.integers(0, 5))):
        resource = draw(st.sampled_from(sorted(machine.slots)))
        alike = _alike(draw, machine, resource)
        places = tuple(alike[: draw(st.integers(1, len(alike)))])
        ready = max([machine.joined, *(free[resource, place] for place in places)])
        pauses = [0, 1, 7, 31, 400] if len(free) == 1 else [61, 400]
        bound = max(ready + draw(st.sampled_from(pauses)), first + draw(st.integers(-600, (end - first) * 3 // 4)))
        if bound >= lasts:
            continue
        pod = draw(_lives(f"p{n}", machine, resource, places, bound, lasts))
        found.append(pod)
        for place in places:
            free[resource, place] = lasts + 1 if pod.over is None else pod.over
    return found


def _alike(draw, machine: Machine, resource: str) -> list[int]:
    """The places of one model, in an order of their own."""
    slots = machine.slots[resource]
    model = draw(st.sampled_from(sorted({slot.model for slot in slots})))
    return draw(st.permutations([n for n, slot in enumerate(slots) if slot.model == model]))


@st.composite
def _lives(draw, name: str, machine: Machine, resource: str, places: tuple[int, ...], bound: int, lasts: int) -> Pod:
    pull = draw(st.sampled_from([0, 3, 45, 300, 1700, None]))
    slots = machine.slots[resource]
    short = (
        [] if len({slot.model for slot in slots}) > 1 else [5, 61] if len(slots) > 1 else [61]
    )  # so that its device's series name it where it matters
    lasting = draw(st.sampled_from([*short, 400, 1234, 2600, 5000, None]))
    started = None if pull is None else bound + pull
    over = None if lasting is None else (bound if started is None else started) + lasting
    end = "deleted" if over is None else draw(st.sampled_from(["failed", "deleted", *(["completed"] if started is not None else [])]))
    if over is None or over >= lasts:
        over, end = (lasts, "deleted") if machine.left is not None else (None, "deleted")
    gone = over if over is None or end == "deleted" else over + draw(st.sampled_from([40, 300, 9000]))
    namespace = draw(st.sampled_from(["ml", "web-shop"]))
    return Pod(
        f"{machine.name}-{name}", namespace, f"uid-{machine.name}-{name}", machine, resource, places, bound,
        started if started is not None and (over is None or started < over) else None, over, end,
        gone if gone is None or machine.left is None else min(gone, machine.left),
        owner=draw(st.sampled_from(["", "Deployment", "CronJob", "Job"])), team=draw(st.sampled_from(["", "fraud", "vision"])),
        turn=draw(st.none() | st.integers(bound, bound + 3000)), asks=draw(st.sampled_from(["container", "container", "init", "sidecar"])),
    )  # fmt: skip


@st.composite
def worlds(draw) -> World:
    zone, shift = draw(st.sampled_from([("UTC", 0), ("Europe/Zurich", 0), ("Asia/Kolkata", 1800)]))
    first, hours, step = TEN + shift, draw(st.integers(2, 3)), draw(st.sampled_from([30, 60]))
    end = first + HOUR * hours
    silent = draw(gaps(first + 2 * step, end, likely=2))
    watched = silent[0] == silent[1]
    there = [draw(machines(f"n{n}", first, end, step, watched)) for n in range(1, draw(st.integers(1, 3)) + 1)]
    held = [pod for machine in there for pod in draw(pods(machine, first, end, step))]
    return World(first, hours, zone, step, draw(st.booleans()), draw(st.integers(0, step - 1)), silent, tuple(there), tuple(held))
