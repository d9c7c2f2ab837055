"""A cluster put together pod by pod, each told the way kube-state-metrics tells it."""

from collections.abc import Iterable
from decimal import Decimal

from tests.fleet import GPU, TEN, WHOLE, Fleet, bill

D = Decimal
HELD = ("allocated", "used", "idle", "starting", "unmeasured")


def hours(*buckets: str, by: str = "namespace", first: int = 0, count: int = 1) -> dict[str, tuple[Decimal, ...]]:
    """GPU-hours by key: allocated, or these buckets. Nobody's line is ""; what holds nothing is left out."""
    asked = buckets or ("allocated",)
    rows = {row.keys[by]: tuple(row.hours(bucket) for bucket in asked) for row in bill(by, first=first, hours=count).rows}
    return {key: figures for key, figures in rows.items() if any(figures)}


def thirds(*minutes: float) -> tuple[Decimal, ...]:
    """Minutes as the ledger's hours."""
    return tuple((D(str(m)) / 60).quantize(D("1e-10")) for m in minutes)


class Ground(Fleet):
    """Instants are minutes from ten o'clock; every series stands at the minutes of `times`, seconds from ten."""

    def bound(self, name: str, quantity: int = 1, *, uid: str = "", space: str = "ml", node: str = "n1", at: float | None = None,
              started: float | None = None, times: Iterable[int] = WHOLE, resource: str = GPU, container: str = "main", kind: str = "container",
              **more: str) -> "Ground":  # fmt: skip
        """A pod that asks for GPUs; `at`: when it was bound, `started`: its container, where they are told; `more`: labels of the target."""
        who = {"namespace": space, "pod": name, "uid": uid or f"uid-{name}"} | more
        labels = who | {"container": container, "node": node, "resource": resource, "unit": "integer"}
        self.put(f"kube_pod_{kind}_resource_requests", labels, quantity, times)
        if at is not None:
            self.told("kube_pod_status_scheduled_time", at, who, times)
        if started is not None:
            self.told("kube_pod_container_state_started", started, who | {"container": container}, times)
        return self

    def told(self, metric: str, at: float, labels: dict[str, str], times: Iterable[int] = WHOLE) -> "Ground":
        """A series whose value is an instant."""
        self.put(metric, labels, TEN.timestamp() + 60 * at, times)
        return self

    def phase(self, name: str, phase: str, times: Iterable[int], *, uid: str = "", space: str = "ml") -> "Ground":
        """All phases as kube-state-metrics shows them: a row each, one of which is 1."""
        times = list(times)
        for each in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
            self.put("kube_pod_status_phase", {"namespace": space, "pod": name, "uid": uid or f"uid-{name}", "phase": each}, int(each == phase), times)
        return self
