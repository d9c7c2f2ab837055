"""Samples as text."""

import numpy as np
import pytest

from ingest.simulator.exposition import head, number, text
from ingest.sources import Samples


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("kube_pod_status_scheduled_time", 1789994605.0, "1.789994605e+09"),
        ("kube_node_created", 1782224000.0, "1.782224e+09"),
        ("kube_node_status_capacity", 4.0, "4"),
        ("kube_node_status_capacity", 274877906944.0, "2.74877906944e+11"),
        ("DCGM_FI_DEV_GPU_UTIL", 97.0, "97"),
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.5, "0.500000"),
        ("DCGM_FI_DEV_POWER_USAGE", 54.87, "54.870000"),
        ("karpenter_nodes_created_total", 143.0, "143"),
    ],
)
def test_numbers_as_their_exporters_print_them(name: str, value: float, right: str) -> None:
    assert number(name, value) == right and float(right) == value


def test_a_page_has_its_families_together_and_in_order() -> None:
    labels = [{"__name__": "kube_b", "x": 'a"b'}, {"__name__": "kube_a"}, {"__name__": "kube_b", "x": "c"}]
    page = text(Samples(labels, np.array([0, 1, 2], np.int32), np.full(3, 9.0), np.array([1.0, 2.0, 3.0])))
    assert [line for line in page.split("\n") if not line.startswith("# HELP")] == [
        "# TYPE kube_a gauge",
        "kube_a{} 2",
        "# TYPE kube_b gauge",
        'kube_b{x="a\\"b"} 1',
        'kube_b{x="c"} 3',
        "",
    ]


def test_openmetrics_names_a_counter_without_total() -> None:
    assert "# TYPE kube_restarts counter" in head("kube_restarts_total", open_metrics=True)
    assert "# TYPE kube_restarts_total counter" in head("kube_restarts_total")
