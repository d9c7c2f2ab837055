"""Exposition text into columns."""

import pytest

from ingest.sources.exposition import Gatherer, Malformed, chosen, labels_of, split, wanted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1"} 41', True),
        ('DCGM_FI_DEV_SM_CLOCK{gpu="0"} 1410', False),
        ("# TYPE DCGM_FI_DEV_GPU_UTIL gauge", False),
        ('kube_node_status_capacity{node="n1",resource="nvidia_com_gpu"} 8', True),
        ('kube_node_status_capacity{node="n1",resource="cpu"} 96', True),
        ('kube_node_status_capacity{node="n1",resource="memory"} 1e+12', True),
        ('kube_node_status_capacity{node="n1",resource="pods"} 110', False),
        ('kube_pod_container_resource_requests{node="n1",resource="cpu"} 4', False),
        ('kube_pod_container_resource_requests{resource="nvidia_com_mig_1g_5gb"} 1', True),
        ("", False),
    ],
)
def test_lines_are_chosen_by_name_before_parsing(line: str, said: bool) -> None:
    assert wanted(line) is said


def test_chosen_keeps_order_and_drops_the_rest() -> None:
    assert chosen("# HELP x\nkube_node_created{node=\"a\"} 1\nnoise 2\nkube_node_created{node=\"b\"} 3\n") == (
        'kube_node_created{node="a"} 1\nkube_node_created{node="b"} 3'
    )


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('a{b="c"} 1.5', ('a{b="c"}', 1.5, None)),
        ('a{b="c"} 1.5 1792886412.25', ('a{b="c"}', 1.5, 1792886412.25)),
        ("a 2", ("a", 2.0, None)),
        ('a{b="x } y"} 3 9', ('a{b="x } y"}', 3.0, 9.0)),
        ('a{b="c"} 4 9 # {trace="t"} 1', ('a{b="c"}', 4.0, 9.0)),
        ('a{b="say # {no"} 5 9', ('a{b="say # {no"}', 5.0, 9.0)),
        ('a{b="c"} +Inf', ('a{b="c"}', float("inf"), None)),
    ],
)
def test_split(line: str, parts: tuple) -> None:
    assert split(line) == parts


@pytest.mark.parametrize("line", ['a{b="c"}', 'a{b="c"} x', 'a{b="c"} 1 2 3', "a", 'a{b="c" 1'])
def test_what_is_no_sample_is_named(line: str) -> None:
    with pytest.raises(Malformed, match="is no sample"):
        split(line)


@pytest.mark.parametrize(
    ("series", "labels"),
    [
        ("up", {"__name__": "up"}),
        ('a{b="c",d=""}', {"__name__": "a", "b": "c", "d": ""}),
        ('a{ b = "c" , }', {"__name__": "a", "b": "c"}),
        (r'a{b="q\"u\\o\nte"}', {"__name__": "a", "b": 'q"u\\o\nte'}),
        ('a{b="x,y=\'z\'}"}', {"__name__": "a", "b": "x,y='z'}"}),
    ],
)
def test_labels(series: str, labels: dict[str, str]) -> None:
    assert labels_of(series) == labels


@pytest.mark.parametrize("series", ['a{b=c}', 'a{b="c"', 'a{="c"}', 'a{b="c" d="e"}'])
def test_labels_that_cannot_be_read(series: str) -> None:
    with pytest.raises(Malformed, match="cannot be read"):
        labels_of(series)


def test_a_page_takes_its_scrapes_time_and_its_targets_labels() -> None:
    found = Gatherer()
    found.page(['up{instance="own"} 1', "up 0", "up 1 5000"], at=60.0, more={"instance": "n1:9400"})
    found.page(["up 1"], at=120.0, more={"instance": "n2:9400"})
    got = found.take()
    assert got.labels == [
        {"instance": "own", "__name__": "up"},
        {"instance": "n1:9400", "__name__": "up"},
        {"instance": "n2:9400", "__name__": "up"},
    ]
    assert got.series.tolist() == [0, 1, 1, 2]
    assert got.time.tolist() == [60.0, 60.0, 5.0, 120.0]  # a page's own timestamps are milliseconds
    assert got.value.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_openmetrics_needs_a_time() -> None:
    with pytest.raises(Malformed, match="no timestamp"):
        Gatherer().timed("up 1")
