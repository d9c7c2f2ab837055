"""A file of samples: read once, answered by time."""

import gzip

import pytest

from ingest.sources import SourceError, openmetrics
from ingest.sources.openmetrics import open_file

TEXT = """# TYPE kube_node_created gauge
kube_node_created{node="a"} 5 300
noise{node="a"} 1 60
kube_node_created{node="a"} 5 60
kube_node_created{node="b"} 7 180.5
# EOF
"""


@pytest.mark.parametrize("block", [1, 2, 1_000_000])
def test_samples_by_time_whatever_their_order_and_block(tmp_path, monkeypatch, block: int) -> None:
    monkeypatch.setattr(openmetrics, "BLOCK", block)
    path = tmp_path / "dump.om.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    source = open_file(path)
    assert source.span(until=0.0) == (60.0, 300.0)
    got = source._load(60.0, 300.0)
    assert sorted(zip([got.labels[s]["node"] for s in got.series], got.time, got.value, strict=True)) == [("a", 60.0, 5.0), ("b", 180.5, 7.0)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"kube_node_created{node=\"a\"} 5 60\nkube_node_created{node=\"a\"} five 60\n", "line 2: is no sample"),
        (b"kube_node_created{node=\"a\"} 5\n", "line 1: has no timestamp"),
        (b"kube_node_created{node=\"a\"} 5 1791279600000\n", "line 1: has the timestamp 1791279600000: OpenMetrics counts seconds"),
        (b"kube_node_created{node=\"a\"} 5 60\nkube_node_created{node=\"a\"} 5 1791279600\n", "lie from 60 to 1791279600"),
        (b"up 1 60\n", "holds no series the product reads"),
        (b"\xff\xfe\x00", "cannot be read"),
        (gzip.compress(TEXT.encode(), mtime=0)[:-9], "check that the file is whole"),
    ],
)
def test_what_cannot_be_read_names_file_and_line(tmp_path, content: bytes, said: str) -> None:
    path = tmp_path / "bad.om"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=said) as error:
        open_file(path)
    assert str(path) in str(error.value)


def test_a_missing_file_is_one_line(tmp_path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        open_file(tmp_path / "none.om")
