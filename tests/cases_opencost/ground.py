"""The fleet of tests/fleet.py with pods that say more of themselves, and days of five-minute scrapes."""

from collections.abc import Iterable

from finops.models import Cluster, Rate, TeamRule
from finops.quality import findings
from finops.scope import Window
from tests.fleet import A100, GPU, HOUR, TEN, WHOLE, Fleet, bill

T4 = "Tesla T4"
PER_DAY = range(-1200, 86400 + 1200, 300)  # scrapes of a day that begins at ten, and its margins


class Ground(Fleet):
    """Instants are seconds from ten o'clock, as there."""

    def hold(self, name: str, quantity: float = 1, *, uid: str = "", namespace: str = "ml", node: str = "n1", resource: str = GPU,
             times: Iterable[int] = WHOLE, bound: float | None = None, started: float | None = None, image_missing: bool = False,
             completed: float | None = None, phase: str = "", init: bool = False, **target: str) -> "Ground":  # fmt: skip
        """A pod of one container. `bound`, `started`: by default its first scrape; `phase`: a terminal one, seen at all of `times`."""
        times = list(times)
        who = {"namespace": namespace, "pod": name, "uid": uid or f"uid-{namespace}-{name}"} | target
        kind = "kube_pod_init_container_resource_requests" if init else "kube_pod_container_resource_requests"
        self.put(kind, who | {"container": "fetch" if init else "main", "node": node, "resource": resource}, quantity, times)
        self.unowned(who, times)
        begin = times[0] if bound is None else bound
        if node:
            self.put("kube_pod_status_scheduled_time", who, TEN.timestamp() + begin, times)
        if not image_missing:
            self.put("kube_pod_container_state_started", who | {"container": "main"}, TEN.timestamp() + (begin if started is None else started), times)
        if phase:
            self.put("kube_pod_status_phase", who | {"phase": phase}, 1, times)
        if completed is not None:
            self.put("kube_pod_completion_time", who, TEN.timestamp() + completed, times)
        return self

    def node_labels(self, node: str = "n1", times: Iterable[int] = WHOLE, **labels: str) -> "Ground":
        return self.put("kube_node_labels", {"node": node} | {f"label_{key}": value for key, value in labels.items()}, 1, times)

    def slice(self, uuid: str, instance: str, profile: str, owner: str = "", **more) -> "Ground":
        """A MIG instance of a board."""
        return self.card(uuid, owner, GPU_I_ID=instance, GPU_I_PROFILE=profile, **more)


def cluster(name: str = "lab", *, interval: float | None = 60) -> Cluster:
    return Cluster.objects.create(name=name, source={}, scrape_interval=interval)


def price(amount: str, **more) -> Rate:
    return Rate.objects.create(**({"price": amount, "currency": "CHF"} | more))


def rule(position: int = 0, kind: str = "from_pod_label", **more) -> None:
    TeamRule.objects.create(position=position, kind=kind, **more)


def kinds(hour: int = 0) -> list[str]:
    """The kinds of what is doubtful about that hour from ten o'clock; a ground without an exporter is silent by intent."""
    told = [doubt.finding.kind for doubt in findings(Window(TEN + HOUR * hour, TEN + HOUR * (hour + 1)))]
    return [kind for kind in told if kind != "silent_exporter"]


def rows(*group_by: str, first: int = 0, hours: int = 1) -> dict:
    """The rows of `bill` by their one key, or by all of them."""
    found = bill(*group_by, first=first, hours=hours).rows
    return {tuple(row.keys.values()) if len(group_by) > 1 else row.keys[group_by[0]]: row for row in found}


__all__ = ["A100", "GPU", "HOUR", "PER_DAY", "T4", "TEN", "WHOLE", "Ground", "bill", "cluster", "kinds", "price", "rows", "rule"]
