"""A configuration printed back and read again is the same."""

from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.configuration.specs import (
    AlertsSpec,
    BudgetSpec,
    ClusterSpec,
    Configuration,
    CostSpikeSpec,
    DcgmEndpoint,
    ExchangeRate,
    ExportersSpec,
    LowUtilisationSpec,
    NodePoolSpec,
    OpenMetricsSpec,
    PrometheusSpec,
    RateSpec,
    ReportsSpec,
    TeamRule,
    WeeklySpec,
)

words = st.one_of(
    st.sampled_from(["0471", "null", "~", "yes", "1e3", "*", "&a", "- x", "a: b", "#c", "2026-01-01", "é", "[x]", "'\""]),
    st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=12),
).filter(lambda text: text.isprintable())
names = words.filter(lambda text: text not in ("unallocated", "unassigned"))
labels = st.from_regex(r"([a-z]{1,5}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,5}[A-Za-z0-9])?", fullmatch=True)
identifiers = st.from_regex("[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True)
moments = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
prices = st.decimals("0.0000000001", 1000, places=10)
seconds = st.integers(1, 10**9).map(lambda milliseconds: milliseconds / 1000)
currencies = st.from_regex("[A-Z]{3}", fullmatch=True)
maybe = lambda strategy: st.none() | strategy  # noqa: E731
addresses = st.integers(1, 60000).map(lambda port: f"http://10.0.0.1:{port}/metrics?x=1")
tables = st.dictionaries(labels, words, min_size=1, max_size=3)
validity = st.tuples(maybe(moments), maybe(moments)).filter(lambda v: not (v[0] and v[1]) or v[0] < v[1])

prometheus = st.builds(
    PrometheusSpec,
    url=addresses,
    match=st.dictionaries(identifiers, words, max_size=2),
    headers=st.dictionaries(st.sampled_from(["X-A", "X-B"]), st.sampled_from(["1", "gpu"]), max_size=2),
    bearer_token_env=maybe(identifiers),
    basic_auth_env=st.none(),
    ca_file=maybe(words),
    timeout=maybe(seconds),
    max_parallel=maybe(st.integers(1, 1000)),
)
exporters = st.lists(addresses, min_size=1, max_size=4, unique=True).flatmap(
    lambda urls: st.builds(
        ExportersSpec,
        dcgm=st.tuples(st.builds(DcgmEndpoint, st.just(urls[0]), maybe(words))),
        kube_state_metrics=st.just(tuple(urls[1:])),
    )
)
clusters = st.builds(
    ClusterSpec,
    name=words,
    source=prometheus | exporters | st.builds(OpenMetricsSpec, words),
    scrape_interval=maybe(seconds),
    node_pool_label=maybe(labels),
    user_label=maybe(labels),
    unallocated_policy=maybe(st.sampled_from(["keep", "even"])),
    node_pools=maybe(st.lists(st.builds(NodePoolSpec, words, st.sampled_from(["owner", "quota"])), min_size=1, max_size=3,
                              unique_by=lambda pool: pool.name).map(tuple)),
)
matches = st.fixed_dictionaries({"namespace": words}, optional={"queue": words, "pod_label": tables})


def rule(kind: str) -> st.SearchStrategy[TeamRule]:
    ends = validity.map(lambda v: {"start": v[0], "end": v[1]})
    if kind == "match":
        return st.builds(lambda n, m, c, v: TeamRule("match", n, match=m, cost_center=c, **v), names, matches, maybe(words), ends)
    return st.builds(lambda label, v: TeamRule(kind, label=label, **v), labels, ends)  # type: ignore[arg-type]


rules = st.sampled_from(["match", "from_pod_label", "from_namespace_label", "from_pod_annotation"]).flatmap(rule)
described = st.builds(TeamRule, st.just("describe"), names, owner=maybe(words), department=maybe(words))
rates = st.builds(
    lambda cluster, pool, price, currency, v: RateSpec(cluster, pool, None, "spot", "Tesla T4", price, currency, *v),
    words,
    maybe(words),
    prices,
    currencies,
    validity,
)


def many(strategy: st.SearchStrategy, key) -> st.SearchStrategy:  # type: ignore[no-untyped-def,type-arg]
    return maybe(st.lists(strategy, max_size=3, unique_by=key).map(tuple))


configurations = st.builds(
    Configuration,
    currency=maybe(currencies),
    timezone=maybe(st.sampled_from(["Europe/Zurich", "Asia/Kathmandu"])),
    week_starts=maybe(st.just("sunday")),
    exchange_rates=many(st.builds(ExchangeRate, currencies, prices, moments), lambda r: (r.currency, r.start)),
    clusters=many(clusters, lambda c: c.name),
    teams=maybe(st.tuples(rules, rules, described)) | st.just(()),
    rates=many(rates, lambda r: r.cluster),
    budgets=many(
        st.builds(BudgetSpec, words, st.just("month"), prices, st.just((Decimal("0.5"), Decimal(1))), st.booleans()),
        lambda b: b.team,
    ),
    alerts=maybe(
        st.builds(
            AlertsSpec,
            maybe(st.builds(CostSpikeSpec, maybe(prices), maybe(prices))),
            maybe(st.builds(LowUtilisationSpec, st.none(), maybe(seconds))),
        )
    ),
    reports=maybe(
        st.builds(
            ReportsSpec,
            maybe(st.builds(WeeklySpec, st.just("monday"), st.integers(0, 23), st.just(("a@example.com",)), st.booleans())),
        )
    ),
)


@settings(deadline=None)
@given(configurations)
def test_reading_what_was_printed_changes_nothing(configuration: Configuration) -> None:
    assert parse(dump(configuration)) == configuration


def test_absent_and_empty_stay_apart() -> None:
    assert dump(Configuration()) == "{}\n"
    assert dump(Configuration(teams=())) == "teams: []\n"
    assert parse("{}").teams is None
    assert parse("teams: []").teams == ()


def test_printed_text() -> None:
    text = "teams:\n- {name: a, cost_center: 0471}\nclusters:\n- {name: x, scrape_interval: 1.5m, source: {openmetrics: {path: f}}}\n"
    assert dump(parse(text)) == (
        "clusters:\n- name: x\n  source:\n    openmetrics:\n      path: f\n  scrape_interval: 90s\n"
        "teams:\n- name: a\n  cost_center: '0471'\n"
    )
