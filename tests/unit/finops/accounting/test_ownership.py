"""Whose a pod is."""

from datetime import UTC, datetime, timedelta

import pytest

from finops.accounting.ownership import Claim, Rule, pool_owner, reserved, sanitised, team

NOW = datetime(2026, 6, 1, tzinfo=UTC)
CLAIM = Claim("ml-train", {"finops_example_com_team": "vision"}, {"owner": "speech"}, {"team": "platform"}, "batch", "a100")


@pytest.mark.parametrize(
    ("label", "spelt"),
    [("finops.example.com/team", "finops_example_com_team"), ("app.kubernetes.io/part-of", "app_kubernetes_io_part_of"),
     ("costCenter", "cost_center"), ("team", "team"), ("Team", "team")],
)  # fmt: skip
def test_labels_as_kube_state_metrics_spells_them(label: str, spelt: str) -> None:
    assert sanitised(label) == spelt


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (Rule("from_pod_label", label="finops.example.com/team"), "vision"),
        (Rule("from_pod_annotation", label="owner"), "speech"),
        (Rule("from_namespace_label", label="team"), "platform"),
        (Rule("from_pod_label", label="absent"), "unassigned"),
        (Rule("match", "research", match={"namespace": "ml-*"}), "research"),
        (Rule("match", "research", match={"namespace": "ml"}), "unassigned"),
        (Rule("match", "research", match={"queue": "batch", "node_pool": "a100"}), "research"),
        (Rule("match", "research", match={"queue": "batch", "node_pool": "h100"}), "unassigned"),
        (Rule("match", "research", match={"pod_label": {"finops.example.com/team": "vis*"}}), "research"),
        (Rule("match", "research", match={}), "unassigned"),
    ],
)
def test_one_rule(rule: Rule, found: str) -> None:
    assert team(CLAIM, [rule], at=NOW) == found


def test_the_first_match_wins() -> None:
    rules = [Rule("from_pod_label", label="absent"), Rule("from_namespace_label", label="team"), Rule("match", "x", match={"namespace": "*"})]
    assert team(CLAIM, rules, at=NOW) == "platform"
    assert team(CLAIM, rules[::-1], at=NOW) == "x"
    assert team(CLAIM, [], at=NOW) == "unassigned"


def test_a_rule_holds_from_its_start_until_before_its_end() -> None:
    before, after = Rule("match", "old", match={"namespace": "*"}, end=NOW), Rule("match", "new", match={"namespace": "*"}, start=NOW)
    assert team(CLAIM, [before, after], at=NOW) == "new"
    assert team(CLAIM, [before, after], at=datetime(2026, 5, 31, 23, tzinfo=UTC)) == "old"


@pytest.mark.parametrize("word", ["unallocated", "unassigned"])
def test_a_label_cannot_claim_a_reserved_word(word: str) -> None:
    claim = Claim("n", {"team": word}, {}, {}, "", "")
    assert team(claim, [Rule("from_pod_label", label="team")], at=NOW) == "unassigned"


def test_a_reserved_word_is_told_only_where_it_decides() -> None:
    claim = Claim("n", {"team": "unallocated"}, {}, {}, "", "")
    label, glob = Rule("from_pod_label", label="team"), Rule("match", "research", match={"namespace": "*"})
    assert reserved(claim, [label, glob], at=NOW) == "unallocated"
    assert reserved(claim, [glob, label], at=NOW) == ""
    assert reserved(CLAIM, [label], at=NOW) == ""


def test_a_pools_owner_is_told_by_the_first_valid_rule_that_names_nothing_else() -> None:
    rules = [
        Rule("match", "serving", match={"node_pool": "gpu-*", "namespace": "web"}),
        Rule("match", "past", match={"node_pool": "gpu-*"}, end=NOW),
        Rule("match", "spot", match={"node_pool": "gpu-spot"}),
        Rule("match", "platform", match={"node_pool": "gpu-*"}),
        Rule("describe", "ops", match={"node_pool": "cpu"}),
    ]
    assert [pool_owner(pool, rules, at=NOW) for pool in ("gpu-spot", "gpu-a", "cpu", "")] == ["spot", "platform", "", ""]
    assert pool_owner("gpu-spot", rules, at=NOW - timedelta(seconds=1)) == "past"
