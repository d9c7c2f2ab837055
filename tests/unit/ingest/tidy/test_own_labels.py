"""Labels as they were exposed."""

import numpy as np

from ingest.sources import Samples
from ingest.tidy.own_labels import own_labels, renamed


def read(*labels: dict[str, str]) -> list[dict[str, str]]:
    return own_labels(Samples(list(labels), np.arange(len(labels), dtype=np.int32), np.zeros(len(labels)), np.zeros(len(labels)))).labels


def test_labels_that_nothing_hid_stay() -> None:
    assert read({"pod": "a", "node": "n1"}) == [{"pod": "a", "node": "n1"}]


def test_a_hidden_label_is_put_back() -> None:
    assert read({"job": "ksm", "pod": "ksm-0", "exported_pod": "a"}) == [{"job": "ksm", "pod": "a"}]


def test_a_label_that_only_the_target_bears_goes() -> None:
    """`b` was exposed with an empty node, which Prometheus drops."""
    bound = {"node": "n9", "exported_node": "n1", "pod": "a"}
    assert read(bound, {"node": "n9", "pod": "b"}) == [{"node": "n1", "pod": "a"}, {"pod": "b"}]


def test_another_target_keeps_its_own() -> None:
    hidden = {"instance": "one", "pod": "ksm-0", "exported_pod": "a"}
    assert read(hidden, {"instance": "two", "pod": "a"}) == [{"instance": "one", "pod": "a"}, {"instance": "two", "pod": "a"}]


def test_without_a_targets_name_only_its_own_words_are_taken_away() -> None:
    """A file of several clusters without job and instance."""
    hidden = {"pod": "ksm-0", "exported_pod": "a", "cluster": "one"}
    assert read(hidden, {"pod": "b", "cluster": "two"}) == [{"pod": "a", "cluster": "one"}, {"pod": "b", "cluster": "two"}]


def test_the_series_a_target_put_its_labels_in_front_of() -> None:
    behind = {"pod": "ksm", "exported_pod": "a", "exported_namespace": "ml"}
    found = renamed(Samples([{"pod": "b"}, behind], np.array([0, 1, 1], np.int32), np.array([5.0, 6.0, 7.0]), np.ones(3)))
    assert (found.labels, found.series.tolist(), found.time.tolist()) == ([behind], [0, 0], [6.0, 7.0])
    assert len(renamed(Samples([{"pod": "b"}], np.array([0], np.int32), np.array([5.0]), np.ones(1)))) == 0
