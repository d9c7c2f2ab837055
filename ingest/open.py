"""From a cluster's row to its open source."""

import os

from finops.accounting.gpu_resources import gpu_resources, pattern
from finops.models import Cluster
from ingest.sources import Source, SourceError
from ingest.sources.exporters import open_pages
from ingest.sources.openmetrics import open_file
from ingest.sources.prometheus import PrometheusSource


def open_source(cluster: Cluster, *, max_parallel: int | None = None) -> Source:
    """The cluster's source, asked `max_parallel` questions at once at most. SourceError for a credential that is not set."""
    kind, spec = next(iter(cluster.source.items()))
    if kind == "exporters":
        return open_pages(cluster)
    if kind == "openmetrics":
        return open_file(spec["path"])
    return open_prometheus(cluster, spec, max_parallel=max_parallel)


def open_prometheus(cluster: Cluster, spec: dict, *, max_parallel: int | None = None) -> PrometheusSource:
    more = {key: spec[key] for key in ("timeout", "max_parallel") if spec.get(key)}
    if max_parallel:
        more["max_parallel"] = min(max_parallel, more.get("max_parallel", max_parallel))
    basic = _secret(cluster, spec.get("basic_auth_env"))
    if basic and ":" not in basic:
        raise SourceError(f"cluster {cluster.name}: the environment variable {spec['basic_auth_env']} has no colon; write user:password")
    return PrometheusSource(
        spec["url"],
        match=spec["match"],
        headers=spec["headers"],
        ca_file=spec.get("ca_file"),
        bearer_token=_secret(cluster, spec.get("bearer_token_env")),
        basic_auth=tuple(basic.split(":", 1)) if basic else None,
        gpus=pattern(gpu_resources(cluster.gpu_resources)),
        **more,
    )


def _secret(cluster: Cluster, name: str | None) -> str | None:
    if name and name not in os.environ:
        raise SourceError(f"cluster {cluster.name}: the environment variable {name} is not set; set it to the credential")
    return os.environ[name] if name else None
