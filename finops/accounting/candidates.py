"""Which labels could tell teams, and what a set of rules would make of the GPU time at hand. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from finops.accounting.ownership import Claim, Rule, team

# What controllers write for themselves: one value per pod or per revision, never a team.
MACHINE = ("pod_template_hash", "controller_revision_hash", "controller_uid", "job_name", "pod_index", "completion_index", "pod_name")
TELLING = ("team", "owner", "department", "squad", "tenant", "project", "cost")


@dataclass(frozen=True, slots=True)
class Held:
    """A pod that holds GPUs; `size` in GPU-hours, or in GPUs where only an instant is looked at."""

    claim: Claim
    size: Decimal


@dataclass(frozen=True, slots=True)
class Candidate:
    """`kind`: from_namespace_label or from_pod_label. `values`: what the label says, most GPU time first."""

    kind: str
    label: str
    pods: int
    size: Decimal
    values: tuple[str, ...]


def candidates(pods: Sequence[Held]) -> list[Candidate]:
    """Every label of the pods and their namespaces, the likeliest to name teams first."""
    found: dict[tuple[str, str], list[tuple[str, Decimal]]] = defaultdict(list)
    for pod in pods:
        for kind, labels in (("from_namespace_label", pod.claim.namespace_labels), ("from_pod_label", pod.claim.labels)):
            for label, value in labels.items():
                if value and not label.endswith(MACHINE):
                    found[kind, label].append((value, pod.size))
    rows = [_candidate(kind, label, said) for (kind, label), said in found.items()]
    return sorted(rows, key=lambda row: (not any(word in row.label for word in TELLING), -row.size, len(row.values), row.kind, row.label))


def _candidate(kind: str, label: str, said: Sequence[tuple[str, Decimal]]) -> Candidate:
    sizes: dict[str, Decimal] = defaultdict(Decimal)
    for value, size in said:
        sizes[value] += size
    values = tuple(sorted(sizes, key=lambda value: (-sizes[value], value)))
    return Candidate(kind, label, len(said), sum(sizes.values(), Decimal(0)), values)


def split(pods: Iterable[Held], rules: Sequence[Rule], *, at: datetime) -> dict[str, dict[str, Decimal]]:
    """Team → namespace → size, as the rules would have it at that instant."""
    found: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for pod in pods:
        found[team(pod.claim, rules, at=at)][pod.claim.namespace] += pod.size
    return {name: dict(spaces) for name, spaces in found.items()}
