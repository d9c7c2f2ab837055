"""Leases of an hour that fall to no team, and the label that would have told."""

from collections import defaultdict
from collections.abc import Iterator

from finops.accounting.hour_findings import About, Evidence, Tenancy, named
from finops.accounting.ownership import UNASSIGNED, sanitised
from finops.findings import Finding


def _no_team(evidence: Evidence, about: About) -> Iterator[Finding]:
    lost: dict[str, list[Tenancy]] = defaultdict(list)
    for tenancy in _unassigned(evidence):
        lost[tenancy.pod.split("/")[0]].append(tenancy)
    for namespace, tenancies in sorted(lost.items()):
        leases = list(dict.fromkeys(tenancy.lease for tenancy in tenancies))
        text = f"no team rule matches {len(leases)} leases in namespace {namespace}; they count as unassigned"
        yield named("no_team", namespace, text, leases, about, where={"team": (UNASSIGNED,)}, namespace=namespace)


def _no_pod_labels(evidence: Evidence, about: About) -> Iterator[Finding]:
    """A label that names teams and that no pod of the hour bears, where leases fall to no team: it is not allow-listed, or worn by nothing."""
    leases = list(dict.fromkeys(tenancy.lease for tenancy in _unassigned(evidence)))
    if not leases:
        return
    for label in evidence.team_labels:
        if sanitised(label) not in evidence.worn:
            text = f"no pod shows the label {label} that names teams; {len(leases)} leases are unassigned"
            yield named("no_pod_labels", label, text, leases, about, where={"team": (UNASSIGNED,)}, label=label)


RULES = (_no_team, _no_pod_labels)


def _unassigned(evidence: Evidence) -> list[Tenancy]:
    """Those of which no reserved word is the reason."""
    return [tenancy for tenancy in evidence.tenancies if UNASSIGNED in tenancy.teams and not tenancy.claimed]
