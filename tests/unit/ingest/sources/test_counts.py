"""Lists that are shorter than the server's own count."""

import numpy as np
import pytest

from ingest.catalogue import QUERIES
from ingest.sources import Samples, SourceError
from ingest.sources.counts import OBJECTS, Counts, question

OWNER = next(query for query in QUERIES if query.key == "pod_owner")
TERMINAL = next(query for query in QUERIES if query.key == "terminal")


def listed(*ends: float) -> Samples:
    return Samples([{"pod": str(n)} for n in range(len(ends))], np.arange(len(ends), dtype=np.int32), np.array(ends, float), np.ones(len(ends)))


def counted(**series: int) -> Counts:
    labels = [{"__name__": name} for name in series]
    return Counts.of(Samples(labels, np.arange(len(labels), dtype=np.int32), np.zeros(len(labels)), np.array(list(series.values()), float)), at=7000)


def test_the_last_window_may_list_more_but_never_fewer() -> None:
    counts = counted(kube_pod_owner=2, kube_pod_info=9)
    counts.check(OWNER, listed(3600, 7200, 7200), ends=[3600, 7200], seconds=3600)
    counts.check(OWNER, listed(7200, 7200, 7200), ends=[3600, 7200], seconds=3600)
    with pytest.raises(SourceError, match="answered 1 series where it counts 2; a proxy in between shortens its answers: raise that limit"):
        counts.check(OWNER, listed(3600, 3600, 7200), ends=[3600, 7200], seconds=3600)


def test_a_count_of_another_time_or_of_other_series_says_nothing() -> None:
    counts = counted(kube_pod_owner=2, kube_pod_status_phase=9)
    counts.check(OWNER, listed(), ends=[6900], seconds=3600)  # counted after the window
    counts.check(OWNER, listed(), ends=[7200], seconds=400)  # what was counted at 7000 may be 300 s old: 6700 is before the window
    counts.check(TERMINAL, listed(), ends=[7200], seconds=3600)  # only some of its series are asked for
    Counts().check(OWNER, listed(), ends=[7200], seconds=3600)


def test_one_question_counts_every_object_with_the_clusters_labels() -> None:
    text = question({"cluster": "a"})
    assert text.startswith('count by (__name__) ({__name__=~"kube_pod_status_scheduled_time|kube_pod_start_time|') and 'cluster="a"' in text
    assert {"kube_pod_labels", "kube_node_labels", "kube_namespace_labels"} <= {name for query in OBJECTS for name in query.names}
