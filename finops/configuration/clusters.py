"""The section ``clusters``: where each cluster's facts come from."""

from __future__ import annotations

from functools import partial

from . import document, values
from .fields import Fields, Place
from .specs import ClusterSpec, DcgmEndpoint, ExportersSpec, NodePoolSpec, OpenMetricsSpec, PrometheusSpec, Source

POLICIES = ("keep", "owner", "proportional", "quota", "even")
SOURCES = ("prometheus", "exporters", "openmetrics")
KEYS = ("name", "source", "scrape_interval", "node_pool_label", "user_label", "unallocated_policy", "node_pools")
PROMETHEUS = (
    "url",
    "match",
    "headers",
    "bearer_token_env",
    "basic_auth_env",
    "ca_file",
    "timeout",
    "max_parallel",
)
SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")
_header_form = values.pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", cure="is not a header name")
_NOTHING = OpenMetricsSpec("")


def clusters(place: Place) -> tuple[ClusterSpec, ...]:
    """Every cluster; a name may stand once."""
    lines: dict[str, int] = {}
    found = []
    for item in place.items():
        spec = _cluster(item)
        if spec.name in lines:
            item.refuse(f"the cluster {spec.name!r} is already on line {lines[spec.name]}")
        elif spec.name:
            lines[spec.name] = item.node.line
        found.append(spec)
    return tuple(found)


def _cluster(place: Place) -> ClusterSpec:
    fields = Fields(place, KEYS)
    source, pools = fields.need("source"), fields.get("node_pools")
    return ClusterSpec(
        name=fields.required("name", values.word, ""),
        source=_source(source) if source else _NOTHING,
        scrape_interval=fields.optional("scrape_interval", values.duration),
        node_pool_label=fields.optional("node_pool_label", values.kubernetes_label),
        user_label=fields.optional("user_label", values.kubernetes_label),
        unallocated_policy=fields.optional("unallocated_policy", _policy),
        node_pools=(_node_pools(pools) or None) if pools else None,
    )


def _policy(text: str) -> str:
    return values.one_of(text, known=POLICIES)


def _node_pools(place: Place) -> tuple[NodePoolSpec, ...]:
    """Every entry; one that stands twice would never be reached."""
    lines: dict[str, int] = {}
    found = []
    for item in place.items():
        fields = Fields(item, ("name", "unallocated_policy"))
        pool = NodePoolSpec(fields.required("name", values.word, ""), fields.required("unallocated_policy", _policy, ""))
        if pool.name in lines:
            item.refuse(f"the node pools {pool.name!r} are already on line {lines[pool.name]}")
        elif pool.name:
            lines[pool.name] = item.node.line
        found.append(pool)
    return tuple(found)


def _source(place: Place) -> Source:
    fields = Fields(place, SOURCES)
    present = [(key, inner) for key in SOURCES if (inner := fields.get(key))]
    if len(present) != 1 and fields.sound:
        place.refuse(f"must name exactly one of {', '.join(SOURCES)}")
    readers = {"prometheus": _prometheus, "exporters": _exporters, "openmetrics": _openmetrics}
    found: list[Source] = [readers[key](inner) for key, inner in present]
    return found[0] if found else _NOTHING


def _prometheus(place: Place) -> Source:
    fields = Fields(place, PROMETHEUS)
    if "bearer_token_env" in fields and "basic_auth_env" in fields:
        place.refuse("names both bearer_token_env and basic_auth_env; keep one")
    match, headers = fields.get("match"), fields.get("headers")
    return PrometheusSpec(
        url=fields.required("url", values.url, ""),
        match=match.table(values.prometheus_label, values.word) if match else {},
        headers=_headers(headers) if headers else {},
        bearer_token_env=fields.optional("bearer_token_env", values.environment_name),
        basic_auth_env=fields.optional("basic_auth_env", values.environment_name),
        ca_file=fields.optional("ca_file", values.word),
        timeout=fields.optional("timeout", values.duration),
        max_parallel=fields.optional("max_parallel", partial(values.integer, least=1, most=1000)),
    )


def _headers(place: Place) -> dict[str, str]:
    found = place.table(_header_name, _header_value)
    if len({name.lower() for name in found}) < len(found):
        place.refuse("names a header twice; capital letters make no difference")
    return found


def _header_name(text: str) -> str:
    if text.lower() in SECRET_HEADERS:
        raise ValueError("is a credential; name its environment variable in bearer_token_env or basic_auth_env")
    return _header_form(text)


def _header_value(text: str) -> str:
    if not values.word(text).isascii():
        raise ValueError("holds characters outside ASCII, which a header cannot carry")
    return text


def _exporters(place: Place) -> Source:
    fields = Fields(place, ("dcgm", "kube_state_metrics"))
    dcgm, state = fields.need("dcgm"), fields.get("kube_state_metrics")
    endpoints = tuple(_endpoint(item) for item in dcgm.items()) if dcgm else ()
    if dcgm and not endpoints and fields.sound:
        dcgm.refuse("must name at least one address")
    urls = state.list_of(values.url) if state else ()
    _once(place, [*(endpoint.url for endpoint in endpoints), *urls])
    return ExportersSpec(endpoints, urls)


def _once(place: Place, urls: list[str]) -> None:
    for url in sorted({url for url in urls if url and urls.count(url) > 1}):
        place.refuse(f"{url!r} is named twice; its GPUs would count double")


def _endpoint(place: Place) -> DcgmEndpoint:
    if isinstance(place.node, document.Scalar):
        return DcgmEndpoint(place.read(values.url) or "")
    fields = Fields(place, ("url", "node"))
    return DcgmEndpoint(fields.required("url", values.url, ""), fields.optional("node", values.word))


def _openmetrics(place: Place) -> Source:
    return OpenMetricsSpec(Fields(place, ("path",)).required("path", values.word, ""))
