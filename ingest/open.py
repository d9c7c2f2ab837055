"""From a cluster's row to its open source."""

import os

from finops.models import Cluster
from ingest.sources import SourceError
from ingest.sources.prometheus import PrometheusSource


def open_source(cluster: Cluster) -> PrometheusSource:
    """The cluster's source. Raises SourceError for a kind not yet read, or a credential that is not set."""
    kind, spec = next(iter(cluster.source.items()))
    if kind != "prometheus":
        raise SourceError(f"cluster {cluster.name}: source {kind} is valid but not read yet; use prometheus")
    more = {key: spec[key] for key in ("timeout", "max_parallel") if spec.get(key)}
    basic = _secret(cluster, spec.get("basic_auth_env"))
    return PrometheusSource(
        spec["url"],
        match=spec["match"],
        headers=spec["headers"],
        ca_file=spec.get("ca_file"),
        bearer_token=_secret(cluster, spec.get("bearer_token_env")),
        basic_auth=tuple(basic.split(":", 1)) if basic else None,
        **more,
    )


def _secret(cluster: Cluster, name: str | None) -> str | None:
    if name and name not in os.environ:
        raise SourceError(f"cluster {cluster.name}: the environment variable {name} is not set; set it to the credential")
    return os.environ[name] if name else None
