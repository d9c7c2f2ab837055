"""What a source holds, before anything is collected from it: one hour is read as collection would read it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from celery.exceptions import SoftTimeLimitExceeded

from finops.accounting.candidates import Held, candidates
from finops.accounting.ownership import Claim
from finops.models import Cluster, TeamRule, Trial
from finops.times import settled
from ingest.collect import cut, fetch
from ingest.doctor import Configured, Diagnosis
from ingest.doctor import examine as diagnose
from ingest.open import open_source
from ingest.sources import SourceError
from ingest.sources.prometheus import PrometheusSource
from ingest.tidy.answers import Answers
from ingest.tidy.devices import devices
from ingest.tidy.label_runs import Run
from ingest.tidy.nodes import Node, nodes
from ingest.tidy.pods import Pod, pods

HOUR = timedelta(hours=1)
VALUES = 6  # of a label, shown as examples
LABELS = 12  # candidates kept
CLUSTER_LABELS = ("cluster", "cluster_name", "cluster_id", "k8s_cluster", "k8s_cluster_name", "kubernetes_cluster", "tenant_id")
ELSEWHERE = ("rates", "exchange rates", "teams", "several clusters")
SLOW = "the examination was not over after {:.0f} s; name a match label that leaves one cluster, or ask the source itself why it is slow"


def run(number: int, *, at: datetime | None = None, seconds: float = 120.0) -> None:
    """Examines a trial that waits and writes down what was found, or why nothing was. `at` stands for now."""
    now = at or datetime.now(UTC)
    if not Trial.objects.filter(pk=number, state__in=("asked", "running")).update(state="running", begun_at=datetime.now(UTC)):
        return
    trial = Trial.objects.get(pk=number)
    try:
        found = examine(trial, at=now)
    except SourceError as error:
        _end(trial, "failed", problem=str(error))
    except SoftTimeLimitExceeded:
        _end(trial, "failed", problem=SLOW.format(seconds))
    except Exception as error:
        _end(trial, "failed", problem=f"the examination broke off ({type(error).__name__}); the worker's log has the details")
        raise
    else:
        _end(trial, "done", found=found)


def _end(trial: Trial, state: str, **fields: object) -> None:
    Trial.objects.filter(pk=trial.pk).update(state=state, **fields)


def examine(trial: Trial, *, at: datetime) -> dict[str, object]:
    """Everything the page tells, as plain JSON. About as many questions as one hour's collection and the doctor together."""
    cluster = Cluster(name=trial.source["prometheus"]["match"].get("cluster", "new"), source=trial.source)
    source = open_source(cluster)
    skew = source.check()
    until = settled(at)
    start, end = (until - HOUR).timestamp(), until.timestamp()
    answers = cut(fetch(source, [(start, end)]), start, end)
    load = asdict(source.spent)
    seen, holders = _nodes(answers), _holders(answers)
    span = source.span(until=end)
    return {
        "skew": skew,
        "version": _version(source, at=end),
        "span": list(span) if span else None,
        "load": load,
        "clusters": _clusters(answers, source),
        **_gpus(seen),
        "pods": len({pod.uid for pod in holders}),
        "candidates": _labels(holders, seen),
        "findings": [asdict(finding) for finding in _findings(cluster, source, at=end) if finding.level != "ok"],
    }


def _holders(answers: Answers) -> list[Pod]:
    """Pods that held a GPU at some time of the hour; kube-state-metrics tells of ended ones for long."""
    found = [(pod, pod.lease) for pod in pods(answers, configured=None)]
    return [pod for pod, lease in found if lease and lease.start < answers.end and lease.end > answers.start]


def _nodes(answers: Answers) -> list[Node]:
    known = {(pod.namespace, pod.name) for pod in pods(answers, configured=None)}
    names = {labels.get("node", "") for labels in answers.samples("capacity").labels} - {""}
    return nodes(answers, devices(answers, known, names, configured=None), pool_label="", configured=None)


def _gpus(seen: Sequence[Node]) -> dict[str, object]:
    """Nodes and boards in all, and by model, capacity type and pool."""
    rows: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for node in seen:
        for model, boards in node.models.items():
            row = rows[model, node.capacity_type, node.pool]
            row[0], row[1] = row[0] + 1, row[1] + boards
    return {
        "nodes": len(seen),
        "boards": sum(node.boards for node in seen),
        "gpus": [
            {"model": model, "capacity_type": kind, "pool": pool, "nodes": count, "boards": boards}
            for (model, kind, pool), (count, boards) in sorted(rows.items(), key=lambda row: (-row[1][1], row[0]))
        ],
    }


def _labels(holders: Sequence[Pod], seen: Sequence[Node]) -> list[dict[str, object]]:
    """Labels that could tell teams, each with the pods it covers and the first of its values."""
    pools = {node.name: node.pool for node in seen}
    held = [
        Held(Claim(pod.namespace, _last(pod.labels), {}, _last(pod.namespace_labels), "", pools.get(pod.node, "")), Decimal(pod.quantity))
        for pod in {pod.uid: pod for pod in holders}.values()
    ]
    return [
        {"kind": row.kind, "label": row.label, "pods": row.pods, "values": row.values[:VALUES], "count": len(row.values)}
        for row in candidates(held)[:LABELS]
    ]


def _clusters(answers: Answers, source: PrometheusSource) -> dict[str, object] | None:
    """The label that tells several clusters behind one address apart, where no matcher names it."""
    rows = [labels for key in ("capacity", "requests") for labels in answers.samples(key).labels]
    for label in CLUSTER_LABELS:
        values = sorted({row[label] for row in rows if row.get(label)})
        if len(values) > 1 and label not in source.match:
            return {"label": label, "values": values}
    return None


def _version(source: PrometheusSource, *, at: float) -> str:
    """Of a Prometheus that scrapes itself; "" where none or several say so."""
    told = {row.get("version", "") for row in source.instant("prometheus_build_info", at=at).labels} - {""}
    return told.pop() if len(told) == 1 else ""


def _last(runs: Sequence[Run]) -> Mapping[str, str]:
    """What was said last."""
    return runs[-1].labels if runs else {}


def _findings(cluster: Cluster, source: PrometheusSource, *, at: float) -> list[Diagnosis]:
    """What the doctor says of the source; teams and prices are steps of their own, and several clusters a question of their own."""
    configured = Configured(rules=list(TeamRule.objects.order_by("position")))
    return [found for found in diagnose(cluster, source, configured=configured, at=at) if found.check not in ELSEWHERE]
