"""Leases that fall to no team."""

from finops.accounting.hour_findings import Evidence, Tenancy, findings
from finops.accounting.team_findings import RULES
from finops.findings import Part


def tenancy(lease: str, *teams: str, namespace: str = "ml", claimed: str = "") -> Tenancy:
    return Tenancy(lease, f"{namespace}/{lease}", "n1", teams, 3600, 3600.0, claimed)


def kinds(*tenancies: Tenancy, labels: tuple[str, ...] = (), worn: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    evidence = Evidence(list(tenancies), team_labels=labels, worn=set(worn))
    return [(f.kind, f.subject) for f in findings(evidence, more=RULES) if f.kind != "reserved_team_label"]


def test_one_per_namespace_of_what_no_rule_matches() -> None:
    lost = [tenancy("a", "unassigned"), tenancy("b", "unassigned"), tenancy("c", "unassigned", namespace="web"), tenancy("d", "fraud")]
    assert kinds(*lost) == [("no_team", "ml"), ("no_team", "web")]
    assert kinds(tenancy("d", "fraud")) == []


def test_a_pod_that_changed_hands_touches_its_hours_without_a_team_alone() -> None:
    (found,) = findings(Evidence([tenancy("a", "fraud", "unassigned")]), more=RULES)
    assert found.reach == (Part({"lease": ("a",), "team": ("unassigned",)}),)


def test_a_reserved_word_is_a_fault_of_its_own() -> None:
    assert kinds(tenancy("a", "unassigned", claimed="unallocated")) == []


def test_a_label_of_teams_that_no_pod_shows() -> None:
    lost = tenancy("a", "unassigned")
    assert kinds(lost, labels=("example.com/team",)) == [("no_pod_labels", "example.com/team"), ("no_team", "ml")]
    assert kinds(lost, labels=("example.com/team",), worn=("example_com_team",)) == [("no_team", "ml")]
    assert kinds(tenancy("a", "fraud"), labels=("example.com/team",)) == []
