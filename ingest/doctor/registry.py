"""Every check, in the order of the report. A check reads the evidence and yields what it finds."""

from collections.abc import Callable, Iterator

from ingest.doctor import (
    checks_copies,
    checks_devices,
    checks_kubernetes,
    checks_labels,
    checks_ledger,
    checks_places,
    checks_series,
    checks_source,
)
from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Evidence

Check = Callable[[Evidence], Iterator[Diagnosis]]

# Asked even where the source has nothing that is needed.
FIRST: tuple[Check, ...] = (checks_source.clock, checks_source.nothing)
CHECKS: tuple[Check, ...] = (
    checks_source.several_clusters,
    checks_source.retention,
    checks_source.histograms,
    checks_series.present,
    checks_series.lag,
    checks_series.interval,
    checks_series.gaps,
    checks_kubernetes.honor_labels,
    checks_kubernetes.pod_uid,
    checks_kubernetes.known_nodes,
    checks_kubernetes.claims,
    checks_kubernetes.quotas,
    checks_kubernetes.shards,
    checks_kubernetes.watches,
    checks_copies.kube_state_metrics,
    checks_copies.exporters,
    checks_labels.pod_labels,
    checks_labels.namespace_labels,
    checks_labels.pod_annotations,
    checks_labels.conflicts,
    checks_labels.user,
    checks_labels.node_pool,
    checks_labels.capacity_type,
    checks_devices.utilisation,
    checks_devices.pod_label,
    checks_devices.identity,
    checks_devices.rejected,
    checks_devices.scale,
    checks_devices.frozen,
    checks_devices.parents,
    checks_places.unplaced,
    checks_places.host_names,
    checks_places.without_series,
    checks_places.shared,
    checks_ledger.rates,
    checks_ledger.exchange_rates,
    checks_ledger.teams,
)
