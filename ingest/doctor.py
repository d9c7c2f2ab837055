"""What a cluster's source lacks, what that costs in accuracy, and the line of configuration that mends it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finops.accounting.ownership import sanitised
from finops.models import Cluster, TeamRule
from ingest.catalogue import QUERIES, UTILISATION, Query
from ingest.sources import Samples, SourceError, matcher, selector
from ingest.sources.prometheus import PrometheusSource
from ingest.symptoms import ABSENT, COUNTERS, LINES, NODE_LABELS, QUEUE_LABELS, RESOURCES, STALE_SECONDS
from ingest.tidy.devices import POD_LABELS, named_pod


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`level`: ok, note, or fault (figures are wrong). `cost`: in accuracy; `mend`: the exact line, "" where none is needed."""

    cluster: str
    level: str
    check: str
    message: str
    cost: str = ""
    mend: str = ""


def examine(cluster: Cluster, source: PrometheusSource, *, rules: Sequence[TeamRule], at: float | None = None) -> list[Diagnosis]:
    """Every finding on one source; an unreachable one is a single fault."""
    say = _Say(cluster.name)
    try:
        skew = source.check()
        ask = _Ask(source, time.time() + skew if at is None else at)
        found = [say("ok", "reachable", f"answers; its clock is {skew:+.1f} s off ours")]
        counts = {query.key: ask.count(query) for query in QUERIES}
        if not any(counts.values()):
            return found + [_nothing(say, cluster, ask)]
        found += _series(say, ask, counts)
        found += _devices(say, ask, counts)
        found += _labels(say, ask, cluster, rules)
        return found + [*_doubled(say, ask), *_claims(say, ask)]
    except SourceError as error:
        return [unreachable(cluster, error)]


def unreachable(cluster: Cluster, error: SourceError) -> Diagnosis:
    return Diagnosis(cluster.name, "fault", "reachable", str(error), "nothing is collected from this cluster")


class _Say:
    def __init__(self, cluster: str) -> None:
        self.cluster = cluster

    def __call__(self, level: str, check: str, message: str, cost: str = "", mend: str = "") -> Diagnosis:
        return Diagnosis(self.cluster, level, check, message, cost, mend)


class _Ask:
    """Questions about the last hour before `at`, with the cluster's matchers."""

    def __init__(self, source: PrometheusSource, at: float) -> None:
        self.source, self.at = source, at

    def chosen(self, names: Sequence[str], *extra: tuple[str, str, str]) -> str:
        return selector(names, match=self.source.match, extra=extra)

    def samples(self, expression: str) -> Samples:
        return self.source.instant(expression, at=self.at)

    def number(self, expression: str) -> float | None:
        found = self.samples(expression).value
        return float(found[0]) if len(found) else None

    def count(self, query: Query) -> dict[str, int]:
        """Series of the last hour by the spelling they were found under."""
        chosen = self.chosen(query.names, *query.extra)
        found = self.samples(f"count by (__name__) (last_over_time({chosen}[1h]))")
        names = (labels.get("__name__", query.names[0]) for labels in found.labels)
        return dict(zip(names, (int(value) for value in found.value), strict=True))

    def age(self, query: Query, name: str) -> float | None:
        """Seconds since the youngest sample, None beyond an hour."""
        stamp = f"timestamp({self.chosen((name,), *query.extra)})"
        newest = self.number(f"max({stamp})")
        newest = self.number(f"max(max_over_time({stamp}[1h:1m]))") if newest is None else newest
        return None if newest is None else max(0.0, self.at - newest)


def _nothing(say: _Say, cluster: Cluster, ask: _Ask) -> Diagnosis:
    anywhere = ask.number(f"count(last_over_time({selector(('kube_node_status_capacity', *UTILISATION))}[1h]))")
    if ask.source.match and anywhere:
        return say("fault", "match", f"no needed series bears {ask.source.match}, though {anywhere:.0f} exist without those labels",
                   "nothing is collected from this cluster",
                   f"clusters: - name: {cluster.name}: source.prometheus.match: name labels that the series bear, or remove it")
    return say("fault", "series", "no needed series in the last hour", "nothing is collected from this cluster",
               "scrape kube-state-metrics and dcgm-exporter with this Prometheus")


def _series(say: _Say, ask: _Ask, counts: dict[str, dict[str, int]]) -> Iterator[Diagnosis]:
    for query in QUERIES:
        names = counts[query.key]
        if names:
            yield _fresh(say, ask, query, names)
        elif query.key == "requests" and ask.number(f"count(last_over_time({ask.chosen(query.names)}[1h]))"):
            yield say("note", query.key, "no pod asked for a GPU in the last hour; other requests are there",
                      "none where the GPUs were free; GPU resources other than nvidia.com/gpu, gpu.shared and mig-* are not read")
        elif query.key in ABSENT:
            level, cost = ABSENT[query.key]
            line = COUNTERS.format(LINES[query.key]) if query.key in LINES else RESOURCES.format(query.names[0])
            yield say(level, query.key, f"no {query.names[0]} in the last hour", cost, line)
        elif not query.key.endswith(("labels", "annotations")) and query.key not in LINES:
            yield say("ok", query.key, f"no {query.names[0]} in the last hour; it exists only where there is something to tell")


def _fresh(say: _Say, ask: _Ask, query: Query, names: dict[str, int]) -> Diagnosis:
    ages = [age for name in names if (age := ask.age(query, name)) is not None]
    age, shown = min(ages, default=3600.0), ", ".join(f"{name}: {n} series" for name, n in sorted(names.items()))
    if age <= STALE_SECONDS:
        return say("ok", query.key, f"{shown}, {age:.0f} s old")
    needed = ABSENT.get(query.key, ("note", ""))[0] == "fault" or query.key in ("profiling", "utilisation")
    return say("fault" if needed else "note", query.key, f"{shown}, but none since {age:.0f} s",
               "the hours since then are missing or unmeasured", "bring its scrape target up: see Status, Targets in Prometheus")


def _devices(say: _Say, ask: _Ask, counts: dict[str, dict[str, int]]) -> Iterator[Diagnosis]:
    profiling, utilisation = counts["profiling"], counts["utilisation"]
    if not profiling and not utilisation:
        yield say("fault", "dcgm", "no DCGM utilisation series in the last hour",
                  "everything is unmeasured: no use, no idle time, no efficiency", COUNTERS.format(LINES["utilisation"]))
        return
    if not profiling:
        yield say("note", "profiling", "no profiling series; GPU_UTIL is used",
                  "use is overstated: any kernel counts as a wholly busy GPU, and MIG instances are unmeasured",
                  COUNTERS.format(LINES["profiling"]))
    if not utilisation:
        yield say("note", "utilisation", "no GPU_UTIL series", "hours in which profiling is frozen or absent are unmeasured",
                  COUNTERS.format(LINES["utilisation"]))
    yield from _pod_label(say, ask)


def _pod_label(say: _Say, ask: _Ask) -> Iterator[Diagnosis]:
    """Whether device series name pods that hold GPUs, and under which label."""
    requests, both = _query("requests"), [*_query("profiling").names, *UTILISATION]
    holders = {(row.get("namespace", ""), row.get("pod", "")) for row in ask.samples(
        f"count by (namespace, pod) (last_over_time({ask.chosen(requests.names, *requests.extra)}[1h]))").labels}
    wanted = sorted({label for pair in POD_LABELS for label in pair})
    rows = ask.samples(f"count by ({', '.join(wanted)}) (last_over_time({ask.chosen(both)}[1h]))").labels
    named = {pod for row in rows if (pod := named_pod(row, holders))}
    label = next((pod for pod, space in POD_LABELS if any((row.get(space, ""), row.get(pod, "")) in named for row in rows)), "")
    if named:
        yield say("ok", "pod label", f"device series name {len(named)} of {len(holders)} pods that hold GPUs, by {label}")
    elif holders:
        yield say("fault", "pod label", f"device series name none of the {len(holders)} pods that hold GPUs",
                  "use reaches a pod only where it alone can hold the device; the rest is unmeasured",
                  "dcgm-exporter: env: - {name: DCGM_EXPORTER_KUBERNETES, value: \"true\"}")


def _labels(say: _Say, ask: _Ask, cluster: Cluster, rules: Sequence[TeamRule]) -> Iterator[Diagnosis]:
    user = [cluster.user_label] if cluster.user_label else []
    pool = [cluster.node_pool_label] if cluster.node_pool_label else []
    needed = {key: _needed(rules, key) for key in ("pod_label", "namespace_label", "pod_annotation")}
    pods, spaces, notes = ([*told, *matched] for told, matched in needed.values())
    allow = "kube-state-metrics: --metric-labels-allowlist=" + ",".join(
        f"{kind}=[{','.join(dict.fromkeys(names))}]" for kind, names in
        (("pods", [*pods, *user, *QUEUE_LABELS]), ("namespaces", spaces), ("nodes", [*pool, *NODE_LABELS])) if names)
    annotations = f"kube-state-metrics: --metric-annotations-allowlist=pods=[{','.join(notes)}]"
    yield from _allowed(say, ask, "kube_pod_labels", needed["pod_label"], allow)
    yield from _allowed(say, ask, "kube_namespace_labels", needed["namespace_label"], allow)
    yield from _allowed(say, ask, "kube_pod_annotations", needed["pod_annotation"], annotations, prefix="annotation_")
    if user and _unborne(ask, "kube_pod_labels", user):
        yield say("note", "user_label", f"no pod bears {user[0]}: not allow-listed, or worn by nothing", "no user is known", allow)
    yield from _node_labels(say, ask, pool, allow)


def _needed(rules: Sequence[TeamRule], key: str) -> tuple[list[str], list[str]]:
    """Labels whose value is the team, and other labels that rules match, in file order."""
    told = list(dict.fromkeys(rule.label for rule in rules if rule.kind == f"from_{key}"))
    matched = dict.fromkeys(label for rule in rules for label in rule.match.get(key, {}))
    return told, [label for label in matched if label not in told]


def _unborne(ask: _Ask, metric: str, names: Sequence[str], prefix: str = "label_") -> list[str]:
    """Those of the labels that no series of the last hour bears."""
    return [name for name in names
            if not ask.number(f"count(last_over_time({ask.chosen((metric,), (prefix + sanitised(name), '!=', ''))}[1h]))")]


def _allowed(say: _Say, ask: _Ask, metric: str, needed: tuple[list[str], list[str]], mend: str, *,
             prefix: str = "label_") -> Iterator[Diagnosis]:
    """A label that names teams and that nobody bears is a fault; one that a rule matches may just have no pod this hour."""
    told, matched = needed
    for level, names in (("fault", _unborne(ask, metric, told, prefix)), ("note", _unborne(ask, metric, matched, prefix))):
        if names:
            yield say(level, metric, f"no series bears {', '.join(names)}: not allow-listed, or worn by nothing",
                      "pods whose team it tells become unassigned or fall to a later rule", mend)
        told, matched = [n for n in told if n not in names], [n for n in matched if n not in names]
    borne = [*told, *matched]
    if borne or not any(needed):
        yield say("ok", metric, f"bears {', '.join(borne)}" if borne else "no label of it is configured to be read")


def _node_labels(say: _Say, ask: _Ask, pool: list[str], allow: str) -> Iterator[Diagnosis]:
    rows = ask.samples(f"last_over_time({ask.chosen(('kube_node_labels',))}[1h])").labels
    seen = [name for name in [*pool, *NODE_LABELS] if any(row.get("label_" + sanitised(name)) for row in rows)]
    if pool and pool[0] not in seen or not seen:
        lacking = pool[0] if pool else "any label of pool, model or capacity type"
        yield say("fault", "kube_node_labels", f"no node bears {lacking}: not allow-listed, or worn by nothing",
                  "spot nodes are priced as on-demand, rates by pool or model may not match, time-slicing may go unseen", allow)
    else:
        yield say("ok", "kube_node_labels", f"bears {', '.join(seen)}")


def _doubled(say: _Say, ask: _Ask) -> Iterator[Diagnosis]:
    requests = _query("requests")
    chosen = ask.chosen(requests.names, *requests.extra)
    twice = ask.number(f"count(count by (namespace, pod, uid, container, resource) ({chosen}) > 1)")
    if twice:
        yield say("note", "doubled", f"kube-state-metrics is scraped more than once: {twice:.0f} requests appear twice",
                  "harmless: copies are merged by pod uid; no figure changes")
    else:
        yield say("ok", "doubled", "kube-state-metrics is scraped once")


def _claims(say: _Say, ask: _Ask) -> Iterator[Diagnosis]:
    bears = [matcher("__name__", "=~", "kube_resourceclaim_.+"), *(matcher(k, "=", v) for k, v in ask.source.match.items())]
    claims = ask.number(f"count(last_over_time({{{','.join(bears)}}}[1h]))")
    if claims:
        yield say("note", "claims", f"{claims:.0f} series of DRA resource claims",
                  "GPUs held by a claim are in no resource request: their hours count as unallocated",
                  "pod: resources: {limits: {nvidia.com/gpu: 1}}")
    else:
        yield say("ok", "claims", "no DRA resource claims seen")


def _query(key: str) -> Query:
    return next(query for query in QUERIES if query.key == key)
