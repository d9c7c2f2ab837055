"""What kube-state-metrics itself said, where a scrape without honor_labels put its target's labels in front."""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from ingest.sources import Samples

RENAMED = "renamed"  # key of the requests that a target's labels were put in front of, as they were scraped
MOVED = "exported_"  # Prometheus, scrape_config: honor_labels false renames a scraped label that its target bears too


def own_labels(found: Samples) -> Samples:
    """Every series under the labels it was exposed with, as far as its target hid them.

    What a label says where `exported_…` stands beside it is the target's; a series of that target that says the same was exposed without it.
    """
    hidden: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for labels in found.labels:
        moved = (name.removeprefix(MOVED) for name in labels if name.startswith(MOVED))
        hidden[_target(labels)].update((name, labels[name]) for name in moved if name in labels)
    if not any(hidden.values()):
        return found
    return Samples([_exposed(labels, hidden[_target(labels)]) for labels in found.labels], found.series, found.time, found.value)


def renamed(found: Samples) -> Samples:
    """The series whose own pod or namespace stands behind their target's."""
    places = [place for place, labels in enumerate(found.labels) if MOVED + "pod" in labels or MOVED + "namespace" in labels]
    inside = np.isin(found.series, places)
    return Samples([found.labels[place] for place in places], np.searchsorted(places, found.series[inside]).astype(np.int32), found.time[inside], found.value[inside])


def _target(labels: Mapping[str, str]) -> tuple[str, str]:
    return labels.get("job", ""), labels.get("instance", "")


def _exposed(labels: Mapping[str, str], hidden: set[tuple[str, str]]) -> dict[str, str]:
    kept = {name: value for name, value in labels.items() if (name, value) not in hidden and not name.startswith(MOVED)}
    return kept | {name.removeprefix(MOVED): value for name, value in labels.items() if name.startswith(MOVED)}
