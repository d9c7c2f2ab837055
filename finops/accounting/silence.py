"""Hours of which the source says nothing: what ran on by what is known of before and after."""

from collections.abc import Iterator

from finops.accounting.hour_findings import About, Evidence, named
from finops.findings import Finding, Part


def _silent_source(evidence: Evidence, about: About) -> Iterator[Finding]:
    if evidence.blind and evidence.lines:
        leases = [tenancy.lease for tenancy in evidence.tenancies]
        text = "the source has no sample of the hour; nodes and pods that were there before and after it are charged, unmeasured"
        yield named("silent_source", "every node", text, leases, about, reach=(Part(),))


RULES = (_silent_source,)
