"""Team rules as the page carries them: each one entry of the configuration file, as JSON. Pure."""

import json
from collections.abc import Sequence

from finops.accounting import ownership
from finops.configuration.export import plain
from finops.configuration.schema import Invalid, parse
from finops.configuration.specs import TeamRule
from finops.scope import Refused

FROM = {"from_pod_label": "Pod label", "from_namespace_label": "Namespace label", "from_pod_annotation": "Pod annotation"}
KEYS = {"namespace": "namespace", "queue": "queue", "node_pool": "node pool", "pod_label": "pod label", "namespace_label": "namespace label",
        "pod_annotation": "pod annotation"}  # fmt: skip


def entry(rule: TeamRule) -> str:
    """One rule as text; the same rule gives the same text."""
    return json.dumps(plain(rule), ensure_ascii=False, sort_keys=True)


def read(texts: Sequence[str]) -> list[TeamRule]:
    """The rules, checked as those of the file are. Refused, one line, for the first that is wrong."""
    try:
        entries = [json.loads(text) for text in texts]
        found = parse(json.dumps({"teams": entries}, ensure_ascii=False))
    except ValueError:
        raise Refused("a rule could not be read; load the page anew") from None
    except Invalid as invalid:
        problem = invalid.errors[0]
        raise Refused(f"{problem.path.partition('].')[2] or 'this rule'}: {problem.message}") from None
    return list(found.teams or ())


def changed(texts: Sequence[str], deed: str, posted) -> list[str]:
    """The list after one deed: `add:<entry>`, `remove:<place>`, `up:<place>`, `namespace` or `label` with their fields."""
    verb, _, rest = deed.partition(":")
    after = list(texts)
    if verb == "add":
        after.append(rest)
    elif verb == "namespace":
        after.append(_entry({"name": posted.get("team", "").strip(), "match": {"namespace": posted.get("namespace", "").strip()}}))
    elif verb == "label":
        kind = posted.get("kind", "")
        after.append(_entry({kind if kind in FROM else "from_pod_label": posted.get("label", "").strip()}))
    elif verb in ("remove", "up") and rest.isascii() and rest.isdigit() and int(rest) < len(after):
        place = int(rest)
        moved = after.pop(place)
        if verb == "up":
            after.insert(max(0, place - 1), moved)
    return after


def candidate(kind: str, label: str) -> str:
    """The rule that takes a label's value for the team."""
    return _entry({kind: label})


def named_after(namespace: str) -> str:
    """The rule that makes a namespace a team of its own name."""
    return _entry({"match": {"namespace": namespace}, "name": namespace})


def words(rule: TeamRule) -> str:
    """A rule as one sentence."""
    if rule.kind in FROM:
        text = f"{FROM[rule.kind]} {rule.label}: its value is the team"
    elif rule.kind == "describe":
        facts = [f"{name.replace('_', ' ')} {getattr(rule, name)}" for name in ("cost_center", "department", "owner", "parent") if getattr(rule, name)]
        text = f"Team {rule.name}: {', '.join(facts)}" if facts else f"Team {rule.name}"
    else:
        text = f"{_match(rule)}: team {rule.name}"
    return text + "".join(f", {word} {moment:%Y-%m-%d %H:%M} UTC" for word, moment in (("from", rule.start), ("until", rule.end)) if moment)


def as_applied(rules: Sequence[TeamRule]) -> list[ownership.Rule]:
    """The rules as the accounting takes them."""
    return [
        ownership.Rule(rule.kind, rule.name or "", rule.label or "", rule.match or {}, rule.start, rule.end)
        for rule in rules
        if rule.kind != "describe"
    ]


def _match(rule: TeamRule) -> str:
    parts = []
    for key, wanted in (rule.match or {}).items():
        pairs = [f"{name}={glob}" for name, glob in wanted.items()] if isinstance(wanted, dict) else [str(wanted)]
        parts += [f"{KEYS.get(key, key)} {pair}" for pair in pairs]
    text = " and ".join(parts)
    return text[:1].upper() + text[1:]


def _entry(found: dict[str, object]) -> str:
    return json.dumps(found, ensure_ascii=False, sort_keys=True)
