"""What kube-state-metrics tells of pods and nodes, and how it is scraped."""

from collections.abc import Iterator

from finops.kinds import kind
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import Evidence
from ingest.sources.promql import matcher

PODS = ("requests", "pod_info", "pod_owner", "scheduled", "started")


def honor_labels(seen: Evidence) -> Iterator[Diagnosis]:
    """Without it `pod` and `namespace` are kube-state-metrics' own, and the pod meant is in `exported_pod`."""
    renamed = [row for row in seen.labels(*PODS) if row.get("exported_pod") or row.get("exported_namespace")]
    if renamed:
        own = {f"{row.get('namespace', '')}/{row.get('pod', '')}" for row in renamed}
        yield seen.say("warn", "honor_labels", f"{len(renamed)} series of pods bear {named(own)}, kube-state-metrics' own pod",
                       kind("honor_labels").meaning, kind("honor_labels").cure)
    elif seen.labels(*PODS):
        yield seen.say("ok", "honor_labels", "series of pods bear the pods' own names")


def pod_uid(seen: Evidence) -> Iterator[Diagnosis]:
    """The uid tells two pods of one name apart; it stands on every series since kube-state-metrics 2.1."""
    lacking = {f"{row.get('namespace', '')}/{row.get('pod', '')}" for row in seen.labels("requests") if not row.get("uid")}
    if lacking:
        yield seen.say("fault", "uid", f"requests of {named(lacking)} bear no uid: dropped by relabelling, or kube-state-metrics before 2.1",
                       "pods that bear one name in turn count as one lease",
                       "kube-state-metrics: image tag v2.1.0 or newer; metricRelabelings: no labeldrop of uid")
    elif seen.labels("requests"):
        yield seen.say("ok", "uid", "every request bears its pod's uid")


def known_nodes(seen: Evidence) -> Iterator[Diagnosis]:
    """A target label `node` that overwrites the pods' own puts them all onto one machine."""
    unknown = {row.get("node", "") for row in seen.labels("requests")} - seen.node_names
    if unknown and seen.node_names:
        yield seen.say("fault", "pods' nodes", f"pods hold GPUs on {named(unknown)}, which tell of no GPU capacity",
                       kind("unknown_node").meaning, kind("unknown_node").cure)
    elif seen.labels("requests"):
        yield seen.say("ok", "pods' nodes", f"pods hold GPUs on {len(seen.node_names)} known nodes")


def claims(seen: Evidence) -> Iterator[Diagnosis]:
    """GPUs given through dynamic resource allocation are in no request: the exporter alone tells which pod has which."""
    bears = [matcher("__name__", "=~", "kube_(pod_)?resourceclaim_.+"), *(matcher(k, "=", v) for k, v in seen.match.items())]
    held = seen.number(f"count(last_over_time({{{','.join(bears)}}}[1h]))")
    on_devices = {row.get("pod", "") for row in seen.labels("profiling", "utilisation") if row.get("dra_claim_name")}
    named_ones = {pod for device in seen.devices for pod in device.named}
    lacking = [f"{pod.namespace}/{pod.name}" for pod in seen.claiming if (pod.namespace, pod.name) not in named_ones]
    if lacking or held and not seen.claiming:
        shown = f"; no device series names {named(lacking)}" if lacking else ""
        yield seen.say("warn", "claims", f"{held:.0f} series of DRA resource claims; {len(on_devices)} pods use devices by a claim{shown}",
                       kind("resource_claims").meaning, kind("resource_claims").cure)
    elif seen.claiming:
        yield seen.say("ok", "claims", f"device series name all {len(seen.claiming)} pods that hold by DRA resource claims")
    else:
        yield seen.say("ok", "claims", "no DRA resource claims seen")


def quotas(seen: Evidence) -> Iterator[Diagnosis]:
    """Kueue runs, but its quota figures are switched off; ResourceQuota cannot be told from having none."""
    kueue = seen.number(f"count(last_over_time({seen.chosen(('kueue_pending_workloads', 'kueue_admitted_active_workloads'))}[1h]))")
    figures = seen.number(f"count(last_over_time({seen.chosen(('kueue_cluster_queue_nominal_quota',))}[1h]))") if kueue else 0
    if kueue and not figures:
        yield seen.say("warn", "quotas", "Kueue runs, but no kueue_cluster_queue_nominal_quota is there",
                       "quotas, borrowing and advice on them are missing; costs are not touched",
                       "Kueue: controller_manager_config.yaml: metrics: {enableClusterQueueResources: true}")
        return
    if seen.names("quotas"):
        return  # told as a series that is there; a source without questions counts none below
    quota = seen.number(f"count(last_over_time({seen.chosen(('kube_resourcequota',))}[1h]))")
    yield seen.say("ok", "quotas", f"{quota:.0f} series of ResourceQuota" if quota else
                   "no kube_resourcequota: none exists, or kube-state-metrics' --resources lacks resourcequotas")


def shards(seen: Evidence) -> Iterator[Diagnosis]:
    """A sharded kube-state-metrics of which a part is not scraped lacks a part of the pods."""
    whole = seen.number(f"max({seen.chosen(('kube_state_metrics_total_shards',))})")
    if whole <= 1:
        return
    there = seen.number(f"count(count by (shard_ordinal) ({seen.chosen(('kube_state_metrics_shard_ordinal',))}))")
    if there < whole:
        yield seen.say("fault", "shards", f"{there:.0f} of {whole:.0f} shards of kube-state-metrics are scraped",
                       "pods and nodes of the others are missing: their hours are unallocated or not there",
                       "kube-state-metrics: autosharding: enabled: true, and one ServiceMonitor endpoint for every pod of its StatefulSet")
    else:
        yield seen.say("ok", "shards", f"all {whole:.0f} shards of kube-state-metrics are scraped")


def watches(seen: Evidence) -> Iterator[Diagnosis]:
    """kube-state-metrics that lost the API server goes on showing pods that are gone."""
    failing = ("kube_state_metrics_list_total", "kube_state_metrics_watch_total")
    errors = seen.number(f"sum(increase({seen.chosen(failing, ('result', '=', 'error'))}[15m]))")
    if errors >= 1:
        yield seen.say("warn", "watches", f"kube-state-metrics failed {errors:.0f} times to read the API in 15 minutes",
                       "pods that are gone may still be shown, and new ones may not",
                       "kube-state-metrics: rbac: create: true, and look at its log for what it may not list")
