"""What is said of a kind of fault."""

from finops.kinds import KINDS, kind


def test_the_cure_takes_up_what_the_evidence_tells() -> None:
    assert kind("no_pod_labels").cure_for({"label": "example.com/team"}) == "kube-state-metrics: --metric-labels-allowlist=pods=[example.com/team]"
    assert kind("no_team").cure_for({"namespace": "ml", "pods": ["ml/a"]}) == 'teams: - {name: a team, match: {namespace: "ml"}}'


def test_what_the_evidence_lacks_is_spelled_out() -> None:
    assert kind("no_pool_owner").cure_for({"node_pool": ""}) == "teams: - {name: a team, match: {node_pool: the node pool}}"
    assert [name for name, each in KINDS.items() if "$" in each.cure_for({})] == []


def test_a_kind_of_another_release_is_shown_by_its_name() -> None:
    assert (kind("lost_in_space").title, kind("lost_in_space").level) == ("lost in space", "warn")
