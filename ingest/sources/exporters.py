"""Exporters scraped directly: pages are kept as they come and read back hour by hour."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.db import connection

from finops.models import Cluster
from ingest.sources import Samples
from ingest.sources.exposition import Gatherer
from ingest.sources.held import Held


@dataclass(frozen=True, slots=True)
class Target:
    """One exporter's page; `labels` as Prometheus would add them."""

    url: str
    labels: Mapping[str, str]


def targets(cluster: Cluster) -> list[Target]:
    """Every page of a cluster whose source is exporters."""
    spec = cluster.source["exporters"]
    found = [(url, node) for url, node in spec["dcgm"]] + [(url, None) for url in spec["kube_state_metrics"]]
    return [Target(url, {"instance": urlsplit(url).netloc, **({"node": node} if node else {})}) for url, node in found]


def open_pages(cluster: Cluster) -> Held:
    """The pages kept of a cluster as a source."""
    labels = {target.url: target.labels for target in targets(cluster)}
    return Held(lambda start, end: _load(cluster.id, labels, start, end), span=_span(cluster.id))


def _load(cluster: int, labels: Mapping[str, Mapping[str, str]], start: float, end: float) -> Samples:
    found = Gatherer()
    with connection.cursor() as cursor:
        cursor.execute(
            "select target, at, page from scrape where cluster_id = %s and at >= %s and at < %s and page is not null order by at, target",
            [cluster, *(datetime.fromtimestamp(t, UTC) for t in (start, end))],
        )
        for target, at, page in cursor:
            lines = zlib.decompress(page).decode().split("\n")
            found.page(lines, at=at.timestamp(), more=labels.get(target, {"instance": urlsplit(target).netloc}))
    return found.take()


def _span(cluster: int) -> tuple[float, float] | None:
    with connection.cursor() as cursor:
        cursor.execute("select min(at), max(at) from scrape where cluster_id = %s and page is not null", [cluster])
        first, last = cursor.fetchone()
    return (first.timestamp(), last.timestamp()) if first else None
