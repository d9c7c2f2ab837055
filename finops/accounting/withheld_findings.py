"""GPUs that were paid for and that no pod could get, or of which nothing tells who had them."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from finops.accounting.hour_findings import About, Evidence, named
from finops.findings import Finding, Part


def _stranded_slices(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, gpus, hours in _withheld(evidence, "stranded"):
        text = f"MIG slices of {node} worth {gpus:g} GPUs belong to no instance, so that no pod can ask for them; cut its boards anew to use them"
        yield Finding("stranded_slices", node, text, {"node": node, "gpus": gpus, "gpu_hours": str(hours)}, reach=_free(evidence, node, hours))


def _unhealthy_gpus(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, gpus, hours in _withheld(evidence, "unhealthy"):
        text = f"{gpus:g} GPUs of {node} (mean of the hour) are in its capacity and not allocatable: paid for, and no new pod gets them; see its device plugin's log"
        yield Finding("unhealthy_gpus", node, text, {"node": node, "gpus": gpus, "gpu_hours": str(hours)}, reach=_free(evidence, node, hours))


def _withheld(evidence: Evidence, kind: str) -> list[tuple[str, float, float]]:
    """(node, mean GPUs, GPU-hours): a node that came back within the hour is told of once, with all of its hours."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for each, node, gpus, hours in evidence.withheld:
        if each == kind:
            found[node].append((gpus, hours))
    return [(node, max(gpus for gpus, _ in parts), round(sum(hours for _, hours in parts), 6)) for node, parts in sorted(found.items())]


def _resource_claims(evidence: Evidence, about: About) -> Iterator[Finding]:
    for node, (leases, hours) in sorted(evidence.claims.items()):
        text = (
            f"{len(leases)} pods on {node} hold resource claims, and no device's series names them: what they hold and cost is unknown; "
            f"up to {hours.normalize():f} GPU-hours that count as unallocated are theirs"
        )
        yield named("resource_claims", node, text, leases, about, reach=_free(evidence, node, float(hours)), node=node, gpu_hours=str(hours))


def _free(evidence: Evidence, node: str, hours: float) -> tuple[Part, ...]:
    """So many of the node's GPU-hours that nobody held, or of all of them where each was held."""
    whole = sum((sum(line.hours.values(), Decimal(0)) for line in evidence.lines if line.names.get("node") == node), Decimal(0))
    free = evidence.free.get(node)
    base, buckets = (free, ("unallocated",)) if free else (whole, ())
    return (Part({"node": (node,)}, buckets, Fraction(min(1.0, hours / float(base))).limit_denominator(1_000_000)),) if base else ()


RULES = (_stranded_slices, _unhealthy_gpus, _resource_claims)
