"""Labels that could tell teams, and rules tried on pods, by hand."""

from datetime import UTC, datetime
from decimal import Decimal

from finops.accounting.candidates import Candidate, Held, candidates, split
from finops.accounting.ownership import Claim, Rule

AT = datetime(2026, 10, 25, tzinfo=UTC)


def pod(namespace: str, size: str, labels: dict[str, str] | None = None, space: dict[str, str] | None = None) -> Held:
    return Held(Claim(namespace, labels or {}, {}, space or {}, "", ""), Decimal(size))


PODS = [
    pod("a", "1.5", {"team": "x", "pod_template_hash": "123", "app": "one"}, {"owner": "o"}),
    pod("a", "2", {"team": "y", "app": "two"}, {"owner": "o"}),
    pod("b", "4", {"app": "three", "batch_kubernetes_io_controller_uid": "u"}),
]


def test_labels_named_like_teams_come_first_then_those_that_cover_most() -> None:
    assert candidates(PODS) == [
        Candidate("from_namespace_label", "owner", 2, Decimal("3.5"), ("o",)),
        Candidate("from_pod_label", "team", 2, Decimal("3.5"), ("y", "x")),
        Candidate("from_pod_label", "app", 3, Decimal("7.5"), ("three", "two", "one")),
    ]


def test_what_controllers_write_is_no_candidate() -> None:
    assert not {"pod_template_hash", "batch_kubernetes_io_controller_uid"} & {row.label for row in candidates(PODS)}


def test_a_split_adds_up_and_leaves_the_rest_unassigned() -> None:
    found = split(PODS, [Rule("from_pod_label", label="team"), Rule("match", "risk", match={"namespace": "a"})], at=AT)
    assert found == {"x": {"a": Decimal("1.5")}, "y": {"a": Decimal(2)}, "unassigned": {"b": Decimal(4)}}


def test_a_rule_that_is_not_yet_valid_gives_nothing() -> None:
    rule = Rule("match", "risk", match={"namespace": "*"}, start=datetime(2027, 1, 1, tzinfo=UTC))
    assert split(PODS, [rule], at=AT) == {"unassigned": {"a": Decimal("3.5"), "b": Decimal(4)}}


def test_nothing_gives_nothing() -> None:
    assert candidates([]) == [] and split([], [], at=AT) == {}
