"""A changed file over edits made elsewhere: entry by entry, edits stay and are named."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from finops.configuration.merge import merge
from finops.configuration.schema import parse
from finops.configuration.specs import NodePoolSpec

NOW = datetime(2026, 11, 15, tzinfo=UTC)
BASE = parse(
    """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {name: a, source: {prometheus: {url: "http://a:9090"}}}
  - {name: b, source: {prometheus: {url: "http://b:9090"}}}
teams:
  - {name: fraud, match: {namespace: fraud}}
rates:
  - {gpu_model: T4, price: "0.60", currency: CHF}
  - {gpu_model: V100, price: "2.00", currency: CHF}
"""
)


def names(clusters):
    return [(cluster.name, cluster.source.url) for cluster in clusters]


def moved(configuration, name, url):
    """The same configuration with one cluster at another address."""
    clusters = tuple(replace(c, source=replace(c.source, url=url)) if c.name == name else c for c in configuration.clusters)
    return replace(configuration, clusters=clusters)


def test_without_edits_the_file_is_applied_as_it_is():
    wanted = moved(replace(BASE, currency="EUR"), "a", "http://a:9091")
    found = merge(wanted, base=BASE, current=BASE, now=NOW)
    assert (found.configuration, found.kept) == (wanted, ())


def test_an_edited_cluster_stays_and_its_neighbour_follows_the_file():
    current = moved(BASE, "a", "http://edited:9090")
    wanted = moved(moved(BASE, "a", "http://file:9090"), "b", "http://file:9091")
    found = merge(wanted, base=BASE, current=current, now=NOW)
    assert names(found.configuration.clusters) == [("b", "http://file:9091"), ("a", "http://edited:9090")]
    assert found.kept == ("cluster a: edited since the file was last applied; kept",)


def test_an_edit_the_file_agrees_with_is_not_worth_a_line():
    both = moved(BASE, "a", "http://new:9090")
    assert merge(both, base=BASE, current=both, now=NOW).kept == ()


def test_entries_added_and_ended_elsewhere_stay_so():
    """Elsewhere b was ended and c added; the file still has b and knows no c."""
    c = replace(BASE.clusters[0], name="c")
    current = replace(BASE, clusters=(BASE.clusters[0], c))
    found = merge(replace(BASE, currency="EUR"), base=BASE, current=current, now=NOW)
    assert [cluster.name for cluster in found.configuration.clusters] == ["a", "c"]
    assert [line.partition(":")[0] for line in found.kept] == ["cluster b", "cluster c"]


def test_teams_are_one_entry():
    current = replace(BASE, teams=(*BASE.teams, replace(BASE.teams[0], name="vision")))
    found = merge(replace(BASE, teams=()), base=BASE, current=current, now=NOW)
    assert [rule.name for rule in found.configuration.teams] == ["fraud", "vision"]
    assert found.kept == ("teams: edited since the file was last applied; kept",)


def test_a_rate_ended_elsewhere_stays_ended_and_its_successor_stays():
    ended = replace(BASE.rates[0], end=datetime(2026, 11, 10, tzinfo=UTC))
    successor = replace(BASE.rates[0], price=Decimal("0.70"), start=ended.end)
    current = replace(BASE, rates=(ended, BASE.rates[1], successor))
    found = merge(replace(BASE, currency="EUR"), base=BASE, current=current, now=NOW)
    assert [(rate.price, rate.end) for rate in found.configuration.rates] == [
        (Decimal("2.00"), None),
        (Decimal("0.60"), ended.end),
        (Decimal("0.70"), None),
    ]
    assert len(found.kept) == 2


def test_a_rate_that_ended_long_ago_is_no_edit_where_the_database_no_longer_prints_it():
    old = replace(BASE.rates[0], price=Decimal("0.50"), end=datetime(2026, 1, 1, tzinfo=UTC))
    base = replace(BASE, rates=(*BASE.rates, old))
    assert merge(BASE, base=base, current=BASE, now=NOW).kept == ()


def test_absent_sections_stay_absent():
    current = replace(BASE, currency="EUR")
    wanted = replace(BASE, currency=None, teams=None)
    found = merge(wanted, base=BASE, current=current, now=NOW)
    assert found.configuration.currency is None and found.configuration.teams is None and found.kept == ()


def pools(configuration, *given):
    """The same configuration with these policies of node pools in cluster a."""
    a, *others = configuration.clusters
    return replace(configuration, clusters=(replace(a, node_pools=tuple(NodePoolSpec(*each) for each in given) or None), *others))


def test_policies_of_node_pools_are_part_of_their_cluster():
    current, wanted = pools(BASE, ("gpu-*", "even")), pools(BASE, ("gpu-*", "owner"))
    found = merge(wanted, base=BASE, current=current, now=NOW)
    assert {c.name: c.node_pools for c in found.configuration.clusters} == {"b": None, "a": (NodePoolSpec("gpu-*", "even"),)}
    assert found.kept == ("cluster a: edited since the file was last applied; kept",)
