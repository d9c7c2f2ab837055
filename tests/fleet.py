"""A small cluster as OpenMetrics text: nodes, cards and pods put on it by hand, a sample a minute."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.db import connection

from finops import pipeline
from finops.models import Cluster
from finops.queries import Answer, costs
from finops.scope import Scope, Window
from ingest.collect import collect
from ingest.sources.openmetrics import open_file

TEN = datetime(2026, 10, 6, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
A100, GPU = "NVIDIA A100-SXM4-40GB", "nvidia_com_gpu"


def minutes(first: float, after: float) -> range:
    """The scrapes of [first, after), in seconds from ten o'clock."""
    return range(round(first * 60), round(after * 60), 60)


WHOLE = minutes(-20, 140)


class Fleet:
    """Instants are seconds from ten o'clock."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, name: str, labels: dict[str, str], value: float, times: Iterable[int] = WHOLE) -> "Fleet":
        text = ",".join(f'{key}="{each}"' for key, each in labels.items())
        self.lines += [f"{name}{{{text}}} {value} {TEN.timestamp() + t:.0f}" for t in times]
        return self

    def node(self, name: str = "n1", times: Iterable[int] = WHOLE, **capacity: int) -> "Fleet":
        for resource, units in (capacity or {GPU: 1}).items():
            self.put("kube_node_status_capacity", {"node": name, "resource": resource, "unit": "integer"}, units, times)
        return self.put("kube_node_created", {"node": name}, TEN.timestamp() - 86400, times)

    def card(self, uuid: str, owner: str = "", *, model: str = A100, node: str = "n1", busy: float = 0.5, watts: float | None = None,
             times: Iterable[int] = WHOLE, **more: str) -> "Fleet":  # fmt: skip
        labels = {"UUID": uuid, "Hostname": node, "modelName": model, **more}
        labels |= {"exported_pod": owner, "exported_namespace": "ml"} if owner else {}
        if watts is not None:
            self.put("DCGM_FI_DEV_POWER_USAGE", labels, watts, times)
        return self.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, busy, times)

    def pod(self, name: str, quantity: int = 1, *, node: str = "n1", resource: str = GPU, times: Iterable[int] = WHOLE) -> "Fleet":
        times = list(times)
        who = {"namespace": "ml", "pod": name, "uid": f"uid-{name}"}
        self.put("kube_pod_container_resource_requests", who | {"container": "main", "node": node, "resource": resource}, quantity, times)
        begin = TEN.timestamp() + times[0]
        self.put("kube_pod_status_scheduled_time", who, begin, times)
        self.unowned(who, times)
        return self.put("kube_pod_container_state_started", who | {"container": "main"}, begin, times)

    def unowned(self, who: dict[str, str], times: Iterable[int] = WHOLE) -> "Fleet":
        """As kube-state-metrics tells that nothing made a pod."""
        return self.put("kube_pod_owner", who | dict.fromkeys(("owner_kind", "owner_name", "owner_is_controller"), "<none>"), 1, times)

    def labels(self, name: str, times: Iterable[int] = WHOLE, **labels: str) -> "Fleet":
        who = {"namespace": "ml", "pod": name, "uid": f"uid-{name}"}
        return self.put("kube_pod_labels", who | {f"label_{key}": value for key, value in labels.items()}, 1, times)

    def collected(self, folder: Path, *, hours: Iterable[int] = (0,), cluster: str = "lab") -> Cluster:
        """The cluster with these hours from ten o'clock collected, in this order, and accounted."""
        (folder / "fleet.om").write_text("\n".join([*self.lines, "# EOF\n"]))
        row, _ = Cluster.objects.get_or_create(name=cluster, defaults={"source": {}, "scrape_interval": 60})
        source = open_file(folder / "fleet.om")
        for n in hours:
            end = TEN + HOUR * (n + 1)
            assert collect(row, [(end - HOUR, end)], source=source, until=end, settled=end) == []
            commit()
            pipeline.account(row)
            commit()
        return row


def commit() -> None:
    """What is checked at a commit, inside the test's one transaction."""
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("set constraints all deferred")


def bill(*group_by: str, first: int = 0, hours: int = 1) -> Answer:
    """What hours from ten o'clock cost."""
    return costs(Scope(Window(TEN + HOUR * first, TEN + HOUR * (first + hours)), group_by))
