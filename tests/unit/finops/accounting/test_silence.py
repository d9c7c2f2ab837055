"""Hours of which the source says nothing."""

from decimal import Decimal

from finops.accounting.hour_findings import Evidence, findings
from finops.accounting.silence import RULES
from finops.accounting.touched import Charged

LINE = Charged({"lease": "a"}, {"unmeasured": Decimal(1)}, None)


def kinds(*, blind: bool, lines: list[Charged]) -> list[str]:
    return [found.kind for found in findings(Evidence(blind=blind, lines=lines), more=RULES)]


def test_only_where_something_is_charged_of_an_hour_that_nothing_tells_of() -> None:
    assert kinds(blind=True, lines=[LINE]) == ["silent_source"]
    assert kinds(blind=False, lines=[LINE]) == kinds(blind=True, lines=[]) == []
