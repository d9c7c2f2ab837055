"""The nodes of the demo company, their boards, and when each node was there."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.simulator.weeks import FRI, MON, SUN, THU, WED, Week, digest, uuid

V100, A100, T4 = "Tesla V100-SXM2-32GB", "NVIDIA A100-SXM4-40GB", "Tesla T4"
MEMORY = {V100: 32768.0, A100: 40960.0, T4: 15360.0}  # MiB
WATTS = {V100: (42.0, 300.0), A100: (55.0, 400.0), T4: (12.0, 70.0)}
FIRST_DAY = 1741000000.0  # when the steady nodes joined, March 2025
MIG_BOARDS = {2: {"1": "3g.20gb", "3": "2g.10gb", "5": "2g.10gb"}, 3: {"1": "3g.20gb", "3": "2g.10gb", "9": "1g.5gb", "10": "1g.5gb"}}
EXTRA = tuple(f"gpu-v100-{n:02}" for n in range(9, 17))
POOLS = {"v100-od": ("on-demand", "v100x4"), "v100-spot": ("spot", "v100x4"), "a100-mig": ("on-demand", "a100x4"), "t4-inf": ("on-demand", "t4x4")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Device:
    """A board, or a MIG instance with its GPU instance id and profile."""

    board: int
    uuid: str
    instance: str = ""
    profile: str = ""

    @property
    def slices(self) -> int:
        return int(self.profile[0]) if self.profile else 7


@dataclass(frozen=True, slots=True)
class Node:
    """One machine of four boards, there in [joined, left), unix seconds; `left` infinity where it stays."""

    name: str
    pool: str
    model: str
    joined: float
    left: float = float("inf")
    replicas: int = 1
    mig: bool = False

    @property
    def uid(self) -> str:
        return uuid("machine", self.name, self.joined)

    @property
    def capacity_type(self) -> str:
        return POOLS[self.pool][0]

    @property
    def address(self) -> str:
        place = digest("address", self.name)
        return f"10.20.{place[0] % 16}.{place[1]}"

    def devices(self) -> Iterator[Device]:
        """Boards without instances, and the instances of the others."""
        for board in range(4):
            found = "GPU-" + uuid("board", self.name, self.joined, board)
            cut = MIG_BOARDS.get(board) if self.mig else None
            yield from [Device(board, found, gi, profile) for gi, profile in cut.items()] if cut else [Device(board, found)]

    def capacity(self) -> dict[str, int]:
        """Units by resource as kube-state-metrics spells it."""
        found: dict[str, int] = {}
        for device in self.devices():
            resource = "nvidia_com_mig_" + device.profile.replace(".", "_") if device.profile else "nvidia_com_gpu"
            found[resource] = found.get(resource, 0) + self.replicas
        return found


STEADY = (
    *(Node(f"gpu-v100-{n:02}", "v100-od", V100, FIRST_DAY + 240 * n) for n in range(1, 9)),
    Node("gpu-a100-01", "a100-mig", A100, FIRST_DAY + 5000, mig=True),
    Node("gpu-t4-01", "t4-inf", T4, FIRST_DAY + 6000),
    Node("gpu-t4-02", "t4-inf", T4, FIRST_DAY + 6240),
    Node("gpu-t4-03", "t4-inf", T4, FIRST_DAY + 6480, replicas=2),
)


def passing(week: Week) -> list[Node]:
    """The nodes that join in this week and leave again: spot, and those of the expensive Thursday."""
    found = [_spot(week, "a", *life) for life in long_spot(week)] + [_spot(week, "b", *life) for life in day_spot(week)]
    if week.position == 0:
        found += [Node(name, "v100-od", V100, week.at(THU, "01:00") + 20 * n, week.at(THU, "23:30")) for n, name in enumerate(EXTRA)]
    return found


def _spot(week: Week, slot: str, joined: float, left: float) -> Node:
    return Node(spot_name(week, slot, joined), "v100-spot", V100, joined, left)


def spot_name(week: Week, slot: str, joined: float) -> str:
    return f"gpu-spot-{digest('spot', week.seed, slot, joined).hex()[:5]}"


def taken_back(week: Week) -> float:
    """When the provider takes the long spot node back."""
    if week.position == 0:
        return week.at(WED, "19:20")
    return week.at(MON + 1 + int(3 * week.dice("day")), "10:00") + 60 * int(540 * week.dice("minute"))


def long_spot(week: Week) -> list[tuple[float, float]]:
    """The lives of the spot node that is nearly always there: until it is taken back, and its successor's."""
    lost = taken_back(week)
    return [(week.at(MON, "00:20"), lost), (lost + 22 * 60, week.at(SUN + 1, "00:10"))]


def day_spot(week: Week) -> list[tuple[float, float]]:
    """The lives of the spot node of working days."""
    return [(week.at(day, "07:00"), week.at(day, "22:03")) for day in range(MON, FRI + 1)]


def silence(week: Week) -> tuple[str, float, float] | None:
    """The node whose exporter is silent in this week, and from when to when."""
    return ("gpu-v100-06", week.at(WED, "02:00"), week.at(WED, "04:00")) if week.position == 0 else None
