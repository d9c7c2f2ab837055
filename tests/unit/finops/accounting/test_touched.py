"""What of an hour a finding touches."""

from decimal import Decimal as D
from fractions import Fraction

from finops.accounting.touched import MOST_PODS, Charged, with_shares
from finops.findings import Finding, Part, Share


def line(lease: str, team: str, *, node: str = "n1", priced: str = "yes", model: str = "A100", **hours: str) -> Charged:
    """A line at 3 per GPU-hour."""
    told = {bucket: D(amount) for bucket, amount in hours.items()}
    names = {"lease": lease, "team": team, "node": node, "gpu_model": model, "priced": priced, "pod": f"ml/{lease}" if lease else ""}
    return Charged(names, told, {bucket: 3 * amount for bucket, amount in told.items()} if priced == "yes" else None)


LINES = [
    line("a", "fraud", used="0.5", idle="0.25", unmeasured="0.25"),
    line("b", "vision", used="1", unmeasured="1"),
    line("", "unallocated", unallocated="5"),
    line("c", "vision", node="n2", priced="no", model="T4", idle="1"),
]


def shares(*reach: Part, kind: str = "over_committed", **evidence: object) -> dict[str, Share]:
    (finding,) = with_shares([Finding(kind, "x", "x", evidence, reach=reach)], LINES)
    return dict(finding.shares or {})


def test_a_lease_in_whole_and_by_buckets() -> None:
    assert shares(Part({"lease": ("a",)})) == {"fraud": Share(D("1.00"), D("3.00"), ("ml/a",))}
    assert shares(Part({"lease": ("a", "b")}, ("unmeasured",))) == {
        "fraud": Share(D("0.25"), D("0.75"), ("ml/a",)), "vision": Share(D("1"), D("3"), ("ml/b",))}  # fmt: skip


def test_a_part_is_rounded_as_it_is_stored() -> None:
    """A seventh of 1 GPU-hour used and 1 unmeasured is 2 × 0.1428571429; of 3 + 3 money 2 × 0.4285714286."""
    assert shares(Part({"lease": ("b",)}, (), Fraction(1, 7))) == {"vision": Share(D("0.2857142858"), D("0.8571428572"), ("ml/b",))}


def test_parts_that_meet_add_up_to_the_whole_at_most() -> None:
    half = Part({"lease": ("b",)}, ("used",), Fraction(1, 2))
    assert shares(half, half)["vision"].gpu_hours == 1
    assert shares(half, half, half)["vision"].gpu_hours == 1
    assert shares(half)["vision"].gpu_hours == D("0.5")


def test_everything_and_nothing() -> None:
    assert {team: share.gpu_hours for team, share in shares(Part()).items()} == {"fraud": 1, "vision": 3, "unallocated": 5}
    assert shares() == shares(Part({"lease": ("z",)})) == shares(Part({"node": ("n1",)}, ("starting",))) == {}


def test_what_has_no_price_has_no_cost_and_spoils_no_other() -> None:
    assert shares(Part({"lease": ("c",)})) == {"vision": Share(D("1"), None, ("ml/c",))}
    assert shares(Part({"lease": ("b", "c")}))["vision"] == Share(D("3"), D("6"), ("ml/b", "ml/c"))


def test_where_a_finding_names_no_lines_its_evidence_does() -> None:
    assert set(shares(kind="no_capacity", node="n1", boards=8)) == {"fraud", "vision", "unallocated"}
    assert shares(kind="unpriced", gpu_model="T4", gpu_hours="1") == {"vision": Share(D("1"), None, ("ml/c",))}
    assert shares(kind="unpriced", gpu_model="A100", gpu_hours="1") == {}


def test_so_many_pods_are_named_and_no_more() -> None:
    many = [line(f"p{n:03}", "fraud", used="1") for n in range(MOST_PODS + 1)]
    (finding,) = with_shares([Finding("over_committed", "x", "x", reach=(Part(),))], many)
    assert finding.shares is not None
    assert (len(finding.shares["fraud"].pods), finding.shares["fraud"].gpu_hours) == (50, 51)
