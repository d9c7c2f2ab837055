"""A configuration printed back as YAML; reading it again gives the same configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal

import yaml

from .specs import ClusterSpec, Configuration, ExportersSpec, OpenMetricsSpec, PrometheusSpec, Source, TeamRule

KEYS = {"start": "from", "end": "until", "duration": "for"}
SOURCE_KEYS: dict[type, str] = {
    PrometheusSpec: "prometheus",
    ExportersSpec: "exporters",
    OpenMetricsSpec: "openmetrics",
}


class _Dumper(yaml.SafeDumper):
    """Text that looks like another type is quoted; nothing is printed as an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def dump(configuration: Configuration) -> str:
    """YAML text. Moments are in UTC, durations in seconds; credentials appear as variable names only."""
    return yaml.dump(plain(configuration), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


def plain(value: object) -> object:
    """Any value of a configuration as text, flags, integers, lists and mappings of the file's own keys."""
    match value:
        case ClusterSpec():
            return _record(value) | {"source": _source(value.source)}
        case TeamRule():
            return _team(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case Decimal():
            return f"{value:f}"
        case float():
            return f"{Decimal(repr(value)):f}".removesuffix(".0") + "s"
        case Mapping():
            return {key: plain(inner) for key, inner in value.items()}
        case tuple():
            return [plain(inner) for inner in value]
    return _record(value) if is_dataclass(value) else value


def _record(value: object) -> dict[str, object]:
    """The fields that are present, under the file's names; the line is the reader's, not the file's."""
    assert is_dataclass(value)
    present = ((f.name, getattr(value, f.name)) for f in fields(value) if f.name != "line")
    return {KEYS.get(name, name): plain(inner) for name, inner in present if inner is not None}


def _source(source: Source) -> dict[str, object]:
    printed = _record(source)
    if isinstance(source, ExportersSpec):
        printed["dcgm"] = [{"url": url, "node": node} if node else url for url, node in source.dcgm]
    return {SOURCE_KEYS[type(source)]: printed}


def _team(rule: TeamRule) -> dict[str, object]:
    printed = _record(rule)
    kind, label = printed.pop("kind"), printed.pop("label", None)
    return {str(kind): label} | printed if label is not None else printed
