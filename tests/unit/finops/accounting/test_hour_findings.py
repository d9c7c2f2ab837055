"""What is doubtful about an hour."""

from decimal import Decimal
from fractions import Fraction

import pytest

from finops.accounting.hour_findings import Card, Evidence, Tenancy, findings
from finops.findings import Finding


def tenancy(lease: str, *teams: str, measured: float = 3600.0, ran: int = 3600, node: str = "n1", claimed: str = "") -> Tenancy:
    return Tenancy(lease, f"ml/{lease}", node, teams or ("fraud",), ran, measured, claimed)


def card(lease: str = "a", *, rejected: int = 0, frozen: bool = False, inferred: bool = False, instance: str = "") -> Card:
    return Card("GPU-1", instance, "n1", lease, rejected, frozen, inferred)


def only(evidence: Evidence) -> Finding:
    (finding,) = findings(evidence)
    return finding


def test_a_quiet_hour_has_none() -> None:
    assert findings(Evidence([tenancy("a"), tenancy("b", "vision")], [card()])) == []


def test_leases_above_the_node_name_its_pods_and_the_excess() -> None:
    found = only(Evidence([tenancy("a"), tenancy("b", "vision")], over=[("n1", "A100", ("a", "b"), Fraction(7200))]))
    assert (found.kind, found.subject, found.teams) == ("over_committed", "n1 A100", ("fraud", "vision"))
    assert found.evidence == {"node": "n1", "gpu_model": "A100", "excess_gpu_seconds": 7200.0, "pods": ["ml/a", "ml/b"]}


def test_unpriced_names_the_model_and_the_pool_and_nobodys_pods() -> None:
    evidence = Evidence()
    evidence.unpriced["spot-pool", "A100", "spot"] += Decimal(2)
    found = only(evidence)
    assert (found.kind, found.subject, found.teams) == ("unpriced", "spot-pool A100 spot", ())
    assert found.message == "no rate for spot A100 in node pool spot-pool; add one under rates"
    assert found.evidence["gpu_hours"] == "2"


def test_frozen_profiling_once_per_device() -> None:
    found = only(Evidence([tenancy("a"), tenancy("b", "vision")], [card("a", frozen=True), card("b", frozen=True)]))
    assert (found.kind, found.subject, found.teams) == ("frozen_profiling", "GPU-1", ("fraud", "vision"))


def test_rejected_samples_count_from_ten_on_and_once_per_device() -> None:
    assert findings(Evidence([tenancy("a")], [card(rejected=9)])) == []
    found = only(Evidence([tenancy("a"), tenancy("b")], [card("a", rejected=10, instance="3"), card("b", rejected=12, instance="3")]))
    assert (found.kind, found.subject, found.evidence["samples"]) == ("rejected_samples", "GPU-1/3", 12)


def test_a_device_told_by_elimination() -> None:
    assert only(Evidence([tenancy("a")], [card(inferred=True)])).kind == "inferred_device"


def test_a_reserved_word_as_team() -> None:
    found = only(Evidence([tenancy("a", "unassigned", claimed="unallocated")]))
    assert (found.kind, found.evidence) == ("reserved_team_label", {"value": "unallocated", "pods": ["ml/a"]})


def test_a_lease_nobody_measured_beside_others_that_were() -> None:
    found = only(Evidence([tenancy("a"), tenancy("b", "vision", measured=0)]))
    assert (found.kind, found.subject, found.teams) == ("no_measurement", "b", ("vision",))


def test_silence_of_a_whole_node_or_of_a_pod_that_never_ran_is_no_finding_about_a_pod() -> None:
    assert findings(Evidence([tenancy("a", measured=0), tenancy("b", measured=0), tenancy("c", node="n2")])) == []
    assert findings(Evidence([tenancy("a"), tenancy("b", measured=0, ran=299)])) == []
    assert [f.subject for f in findings(Evidence([tenancy("a"), tenancy("b", measured=0, ran=300)]))] == ["b"]


def test_a_lease_on_two_models_is_measured_by_either() -> None:
    assert findings(Evidence([tenancy("a"), tenancy("b"), tenancy("b", measured=0)])) == []


def test_a_model_nothing_tells() -> None:
    assert only(Evidence([tenancy("a")], unplaced={"a"})).kind == "unknown_model"


def test_they_come_in_a_fixed_order() -> None:
    evidence = Evidence([tenancy("b", claimed="unassigned"), tenancy("a", claimed="unassigned")], [card("a", inferred=True)])
    assert [(f.kind, f.subject) for f in findings(evidence)] == [
        ("inferred_device", "GPU-1"), ("reserved_team_label", "a"), ("reserved_team_label", "b")]  # fmt: skip


def test_a_lease_on_boards_of_two_models_is_told_of_once() -> None:
    parts = [tenancy("a", "unassigned", claimed="unallocated"), tenancy("a", "unassigned", claimed="unallocated")]
    assert only(Evidence(parts)).subject == "a"


@pytest.mark.parametrize(
    ("policy", "pool", "kind", "message"),
    [
        ("owner", "gpu", "no_pool_owner", "no team rule names the node pool gpu alone; its unallocated cost stays apart"),
        ("owner", "", "no_pool_owner", "no team rule names nodes without a pool alone; their unallocated cost stays apart"),
        ("quota", "gpu", "no_quota", "no team has a known quota of the GPUs of node pool gpu; their unallocated cost stays apart"),
        ("quota", "", "no_quota", "no team has a known quota of the GPUs of nodes without a pool; their unallocated cost stays apart"),
    ],
)
def test_a_policy_that_finds_nobody_says_so_to_those_who_see_all(policy: str, pool: str, kind: str, message: str) -> None:
    found = only(Evidence(kept={pool: (policy, Decimal("12"))}))
    assert (found.kind, found.subject, found.message, found.teams) == (kind, pool, message, ())
    assert found.evidence == {"node_pool": pool, "unallocated_cost": "12"}


def test_a_pool_nobody_holds_is_no_fault_of_a_policy_by_what_is_held() -> None:
    assert findings(Evidence(kept={"gpu": ("proportional", Decimal("12")), "spot": ("even", Decimal("12"))})) == []
