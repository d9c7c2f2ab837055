"""The form of a source: texts in, what the configuration file would make of them, or its messages field by field. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from finops.configuration.schema import Invalid, parse
from finops.configuration.specs import PrometheusSpec

PLACE = re.compile(r"clusters\[0\]\.source\.prometheus\.?(\w*)")


@dataclass(frozen=True, slots=True)
class Field:
    """`many`: several lines."""

    name: str
    label: str
    hint: str
    many: bool = False
    required: bool = False


FIELDS = (
    Field("url", "Address", "As the worker reaches it, like http://prometheus:9090. Thanos, Mimir and VictoriaMetrics answer too.", required=True),
    Field("match", "Match labels", "One label=value per line, added to every question. Needed where one address answers for several clusters.", True),
    Field("headers", "Headers", "One Name: value per line, like X-Scope-OrgID: gpu. Never a credential.", True),
    Field("bearer_token_env", "Variable with the bearer token", "The name of an environment variable of the worker, never the token."),
    Field("basic_auth_env", "Variable with user:password", "The name of an environment variable of the worker, never the password."),
    Field("ca_file", "Certificate authority", "Path of a file the worker can read, where the certificate is your own."),
    Field("timeout", "Timeout", "How long the source may be silent, like 30s."),
    Field("max_parallel", "Questions at once", "2 where left empty."),
)
SEPARATORS = {"match": ("=", "label=value"), "headers": (":", "Name: value")}


def read(posted: Mapping[str, str]) -> tuple[PrometheusSpec | None, dict[str, list[str]]]:
    """The source, or messages by field; those of no field stand under ""."""
    errors: dict[str, list[str]] = {}
    written: dict[str, object] = {}
    for field in FIELDS:
        text = posted.get(field.name, "").strip()
        if text:
            written[field.name] = _table(field.name, text, errors) if field.many else text
    try:
        found = parse(json.dumps({"clusters": [{"name": "trial", "source": {"prometheus": written}}]}, ensure_ascii=False))
    except Invalid as invalid:
        for problem in invalid.errors:
            place = PLACE.match(problem.path)
            errors.setdefault(_field(place[1] if place else "", problem.message), []).append(problem.message)
        return None, errors
    source = found.clusters[0].source if found.clusters else None
    return (source, {}) if isinstance(source, PrometheusSpec) and not errors else (None, errors)


def texts(spec: Mapping[str, object]) -> dict[str, str]:
    """A stored source as the form's texts."""
    found = {}
    for field in FIELDS:
        value = spec.get(field.name)
        if isinstance(value, Mapping):
            between = {"match": "=", "headers": ": "}[field.name]
            found[field.name] = "\n".join(f"{name}{between}{inner}" for name, inner in value.items())
        elif value is not None:
            found[field.name] = f"{value:g}s" if field.name == "timeout" else str(value)
    return found


def _table(name: str, text: str, errors: dict[str, list[str]]) -> dict[str, str]:
    separator, form = SEPARATORS[name]
    found: dict[str, str] = {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        key, between, value = (part.strip() for part in line.partition(separator))
        if not between or not key:
            errors.setdefault(name, []).append(f"{line[:60]!r} is not of the form {form}; write one per line")
            continue
        if key in found:
            errors.setdefault(name, []).append(f"{key!r} stands there twice; keep one line")
        found[key] = value.strip('"')
    return found


def _field(name: str, message: str) -> str:
    return "url" if not name and "'url'" in message else name
