"""Faults of naming: whose a pod is, what job it belongs to, which series speaks of it, and when."""

from finops.kinds.kind import Kind

HONOR = "ServiceMonitor of kube-state-metrics: endpoints: - honorLabels: true (scrape_configs: honor_labels: true)"
RESOURCES = "kube-state-metrics: --resources=pods,nodes,namespaces,replicasets,jobs (and no --metric-denylist that names {})"
KINDS = (
    Kind(
        "no_pod_labels", "Pod labels that are not shown",
        "pods whose team it tells become unassigned or fall to a later rule",
        "kube-state-metrics: --metric-labels-allowlist=pods=[$label]",
        "fault", True,
    ),
    Kind(
        "no_team", "Pods without a team",
        "their cost is unassigned",
        'teams: - {name: a team, match: {namespace: "$namespace"}}',
    ),
    Kind(
        "reserved_team_label", "Reserved word as team",
        "unallocated and unassigned are no teams: the pod's cost is unassigned",
        "kubectl label pods --all, and the template they are made from: another value than $value",
    ),
    Kind(
        "ownerless_pods", "Pods without their owners",
        "every pod is a job of its own: job totals are wrong",
        RESOURCES.format("kube_pod_owner"),
        "fault", True,
    ),
    Kind(
        "honor_labels", "Series of pods under kube-state-metrics' own name",
        "none: the pod meant is read from exported_pod; tools that read pod take them all for one",
        HONOR,
        "note",
    ),
    Kind(
        "doubled_kube_state_metrics", "kube-state-metrics scraped twice",
        "harmless: copies are merged and no figure changes, but twice as much is read",
        "kube-state-metrics: replicas: 1, and one ServiceMonitor or scrape job for it",
        "note",
    ),
    Kind(
        "clock_skew", "Clocks that disagree",
        "starts and ends that kubelets report are off by as much against the samples",
        "both machines: timedatectl set-ntp true",
        "warn", True,
    ),
    Kind(
        "source_forgot", "Hour that its source no longer has",
        "none: what was collected of the hour before stays",
        "prometheus: --storage.tsdb.retention.time=15d, or longer than anything is collected again",
        "note",
    ),
    Kind(
        "resource_claims", "GPUs held by claims",
        "what these pods hold and cost is unknown: GPUs of a claim that no device series names count as unallocated",
        'dcgm-exporter: env: - {name: KUBERNETES_ENABLE_DRA, value: "true"}, or pod: resources: {limits: {nvidia.com/gpu: 1}}',
        "warn", True,
    ),
)  # fmt: skip
