"""The section ``teams``: whose a pod is (file order decides), and what a team is."""

from __future__ import annotations

from datetime import tzinfo

from . import values
from .fields import Fields, Place, overlapping
from .specs import TeamKind, TeamRule

RESERVED = ("unallocated", "unassigned")
FROM: tuple[TeamKind, ...] = ("from_pod_label", "from_namespace_label", "from_pod_annotation")
DETAILS = ("cost_center", "owner", "parent", "department")
KEYS = (*FROM, "name", "match", "from", "until", *DETAILS)
LABELLED = ("pod_label", "pod_annotation", "namespace_label")
PLAIN = ("namespace", "queue", "node_pool")


def teams(place: Place, *, zone: tzinfo) -> tuple[TeamRule, ...]:
    """Every entry in file order. A team is described once at a time and is not its own ancestor."""
    before = len(place.problems)
    items = list(place.items())
    rules = tuple(_rule(item, zone) for item in items)
    if len(place.problems) == before:
        _described_once(items, rules)
        _no_circle(items, rules)
    return rules


def team_name(text: str) -> str:
    """A team's name; the reserved ones are the ledger's own."""
    if values.word(text) in RESERVED:
        raise ValueError(f"{text!r} is reserved; choose another name")
    return text


def _rule(place: Place, zone: tzinfo) -> TeamRule:
    fields = Fields(place, KEYS)
    kinds = [kind for kind in FROM if kind in fields]
    start, end = fields.validity(zone)
    if not kinds:
        return _named(place, fields, TeamRule("describe", start=start, end=end))
    others = [key for key in (*kinds[1:], "name", "match", *DETAILS) if key in fields]
    if others:
        place.refuse(f"{kinds[0]} stands alone; move {', '.join(others)} to an entry of their own")
    label = fields.optional(kinds[0], values.kubernetes_label)
    return TeamRule(kinds[0], label=label, start=start, end=end, line=place.node.line)


def _named(place: Place, fields: Fields, valid: TeamRule) -> TeamRule:
    match = fields.get("match")
    return TeamRule(
        kind="match" if match else "describe",
        name=fields.required("name", team_name, ""),
        match=_match(match) if match else None,
        start=valid.start,
        end=valid.end,
        cost_center=fields.optional("cost_center", values.word),
        owner=fields.optional("owner", values.word),
        parent=fields.optional("parent", team_name),
        department=fields.optional("department", values.word),
        line=place.node.line,
    )


def _match(place: Place) -> dict[str, str | dict[str, str]]:
    fields = Fields(place, (*LABELLED, *PLAIN))
    found: dict[str, str | dict[str, str]] = {}
    for key in LABELLED:
        if labels := fields.get(key):
            found[key] = _labels(labels)
    for key in PLAIN:
        if (glob := fields.optional(key, values.word)) is not None:
            found[key] = glob
    if not found and fields.sound:
        place.refuse('is empty and would hold for every pod; if that is meant write namespace: "*"')
    return found


def _labels(place: Place) -> dict[str, str]:
    before = len(place.problems)
    found = place.table(values.kubernetes_label, values.word)
    if not found and len(place.problems) == before:
        place.refuse('is empty; write it like "{team: fraud}"')
    return found


def _described_once(items: list[Place], rules: tuple[TeamRule, ...]) -> None:
    described: list[TeamRule] = []
    for item, rule in zip(items, rules, strict=True):
        if rule.kind != "describe":
            continue
        for other in described:
            if other.name == rule.name and overlapping((other.start, other.end), (rule.start, rule.end)):
                item.refuse(f"the team {rule.name!r} is already described on line {other.line}")
        described.append(rule)


def _no_circle(items: list[Place], rules: tuple[TeamRule, ...]) -> None:
    parents: dict[str | None, str | None] = {rule.name: rule.parent for rule in rules if rule.parent}
    for item, rule in zip(items, rules, strict=True):
        if rule.parent and rule.name in _ancestors(rule.parent, parents):
            item.refuse(f"the team {rule.name!r} is its own ancestor; mend parent")


def _ancestors(name: str | None, parents: dict[str | None, str | None]) -> list[str | None]:
    """The name and all above it, each once."""
    seen: dict[str | None, None] = {}
    while name and name not in seen:
        seen[name] = None
        name = parents.get(name)
    return list(seen)
