"""A fleet whose cards are what an exporter's page says, scraped every minute; the pages are in tests/samples."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from django.db import connection

from ingest.sources.exposition import labels_of, split
from tests.fleet import GPU, TEN, WHOLE, Answer, Fleet, bill, minutes

PAGES = Path(__file__).resolve().parents[1] / "samples"
__all__ = ["GPU", "TEN", "WHOLE", "Scraped", "bill", "hours", "minutes", "sources"]


class Scraped(Fleet):
    """Instants are seconds from ten o'clock."""

    def page(self, name: str, times: Iterable[int] = WHOLE, **target: str) -> "Scraped":
        """Every sample of the page at all `times`. `target`: the target's labels; what collides with them is renamed, as honor_labels: false does."""
        lines = [line for line in (PAGES / f"dcgm-{name}.txt").read_text().splitlines() if line and not line.startswith("#")]
        for line in lines:
            series, value, _ = split(line)
            labels = labels_of(series)
            self.series(labels.pop("__name__"), renamed(labels, target), value, times)
        return self

    def series(self, name: str, labels: Mapping[str, str], value: float, times: Iterable[int] = WHOLE) -> None:
        """As `put`, with values no float is printed as."""
        text = ",".join(f'{key}="{each}"' for key, each in labels.items())
        self.lines += [f"{name}{{{text}}} {value!r} {TEN.timestamp() + t:.0f}" for t in times]

    def hold(self, namespace: str, pod: str, quantity: int = 1, *, node: str = "n1", resource: str = GPU, container: str = "main",
             uid: str = "", since: int | None = None, until: int | None = None, started: bool = True, init: bool = False,
             times: Iterable[int] = WHOLE) -> "Scraped":  # fmt: skip
        """A pod bound at `since` (its first time) and, where `until` is given, completed then; its series go on as long as `times`."""
        times = list(times)
        who = {"namespace": namespace, "pod": pod, "uid": uid or f"uid-{pod}"}
        begin = TEN.timestamp() + (times[0] if since is None else since)
        name = "kube_pod_init_container_resource_requests" if init else "kube_pod_container_resource_requests"
        self.put(name, who | {"container": container, "node": node, "resource": resource}, quantity, times)
        self.put("kube_pod_status_scheduled_time", who, begin, times)
        self.unowned(who, times)
        if started:
            self.put("kube_pod_container_state_started", who | {"container": container}, begin, times)
        if until is not None:
            after = [t for t in times if t >= until]
            self.put("kube_pod_status_phase", who | {"phase": "Succeeded"}, 1, after)
            self.put("kube_pod_completion_time", who, TEN.timestamp() + until, after)
        return self

    def exporter(self, pod: str, *, node: str, address: str = "") -> "Scraped":
        """The exporter's own pod, as kube-state-metrics knows it."""
        return self.put("kube_pod_info", {"namespace": "gpu-operator", "pod": pod, "uid": f"uid-{pod}", "node": node, "pod_ip": address}, 1)


def renamed(labels: Mapping[str, str], target: Mapping[str, str]) -> dict[str, str]:
    """A scraped series' labels beside its target's; empty ones are dropped."""
    ours = {f"exported_{key}" if key in target else key: value for key, value in labels.items() if value}
    return ours | dict(target)


def hours(*buckets: str, by: str = "pod", first: int = 0, many: int = 1) -> dict[str, tuple[float, ...]]:
    """GPU-hours of each bucket by pod, to six digits; nobody's under ""."""
    answer: Answer = bill(by, first=first, hours=many)
    return {row.keys[by]: tuple(round(float(row.hours(bucket)), 6) for bucket in buckets) for row in answer.rows}


def sources() -> set[str]:
    """What every stored figure of use was measured by."""
    with connection.cursor() as cursor:
        cursor.execute("select distinct source from use_quarter")
        return {source for (source,) in cursor.fetchall()}
