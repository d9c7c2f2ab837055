"""Whose a pod is: ordered rules, the first whose match holds at that time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase

UNALLOCATED, UNASSIGNED = "unallocated", "unassigned"
RESERVED = (UNALLOCATED, UNASSIGNED)


def sanitised(label: str) -> str:
    """A Kubernetes label as kube-state-metrics spells it (its internal/store/utils.go)."""
    out = ""
    for before, char in zip(" " + label, label, strict=False):
        if char.isupper() and (before.islower() or before.isdigit()):
            out += "_"
        out += char.lower() if char.isalnum() and char.isascii() else "_"
    return out


@dataclass(frozen=True, slots=True)
class Rule:
    """`kind`: from_pod_label, from_pod_annotation, from_namespace_label (the value is the team) or match (`name` is)."""

    kind: str
    name: str = ""
    label: str = ""
    match: Mapping[str, object] = field(default_factory=dict)
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """What rules may look at. Label names as kube-state-metrics spells them."""

    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    namespace_labels: Mapping[str, str]
    queue: str
    node_pool: str


def team(claim: Claim, rules: Sequence[Rule], *, at: datetime) -> str:
    """The team at that instant; `unassigned` where no rule holds, or where a label claims a reserved word."""
    found = _first(claim, rules, at=at)
    return found if found and found not in RESERVED else UNASSIGNED


def reserved(claim: Claim, rules: Sequence[Rule], *, at: datetime) -> str:
    """The reserved word that the deciding label gives as the team; "" where none does."""
    found = _first(claim, rules, at=at)
    return found if found in RESERVED else ""


def pool_owner(pool: str, rules: Sequence[Rule], *, at: datetime) -> str:
    """The team of the first rule that names nothing but a node pool and matches `pool`; "" where there is none."""
    owning = (rule for rule in _valid(rules, at=at) if rule.kind == "match" and set(rule.match) == {"node_pool"})
    return next((rule.name for rule in owning if fnmatchcase(pool, str(rule.match["node_pool"]))), "")


def _valid(rules: Sequence[Rule], *, at: datetime) -> Iterator[Rule]:
    return (rule for rule in rules if not (rule.start and at < rule.start) and not (rule.end and at >= rule.end))


def _first(claim: Claim, rules: Sequence[Rule], *, at: datetime) -> str:
    return next((found for rule in _valid(rules, at=at) if (found := _decides(rule, claim, rules))), "")


def _decides(rule: Rule, claim: Claim, rules: Sequence[Rule]) -> str:
    sources = {"from_pod_label": claim.labels, "from_pod_annotation": claim.annotations, "from_namespace_label": claim.namespace_labels}
    if rule.kind in sources:
        return _said(sources[rule.kind], rule.label, rules)
    return rule.name if rule.match and all(_holds(k, v, claim, rules) for k, v in rule.match.items()) else ""


def _holds(key: str, wanted: object, claim: Claim, rules: Sequence[Rule]) -> bool:
    if isinstance(wanted, Mapping):
        found = {"pod_label": claim.labels, "pod_annotation": claim.annotations, "namespace_label": claim.namespace_labels}[key]
        return all(fnmatchcase(_said(found, label, rules), str(glob)) for label, glob in wanted.items())
    return fnmatchcase({"namespace": claim.namespace, "queue": claim.queue, "node_pool": claim.node_pool}[key], str(wanted))


def _said(found: Mapping[str, str], label: str, rules: Sequence[Rule]) -> str:
    """The value of a label; "" where there is none, or where it cannot be told from another of the same spelling.

    Labels of one object that kube-state-metrics spells alike get `_conflict1`, `_conflict2`… in the order of their own names. Alike in value
    it does not matter which is which; else the rules must name them all.
    """
    name = sanitised(label)
    if name in found or f"{name}_conflict1" not in found:
        return found.get(name, "")
    values = [found[f"{name}_conflict{n}"] for n in range(1, 10) if f"{name}_conflict{n}" in found]
    if len(set(values)) == 1:
        return values[0]
    told = {each for rule in rules for each in (rule.label, *_matched(rule)) if each and sanitised(each) == name}
    return values[sorted(told).index(label)] if len(told) == len(values) else ""


def _matched(rule: Rule) -> list[str]:
    return [label for wanted in rule.match.values() if isinstance(wanted, Mapping) for label in wanted]
