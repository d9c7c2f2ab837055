"""How many GPUs the pods of a namespace may hold at most: ResourceQuotas."""

import re
from dataclasses import dataclass
from math import floor

from finops.accounting.ownership import sanitised
from ingest.catalogue import GPU
from ingest.tidy.answers import Answers
from ingest.tidy.label_runs import label_runs

REQUESTS = "requests."  # the only form there is for extended resources


@dataclass(frozen=True, slots=True)
class Quota:
    """`units` of `resource`, spelt as node capacity spells it; `labels`: the namespace's at the beginning of the hour."""

    namespace: str
    resource: str
    units: int
    labels: dict[str, str]


def quotas(answers: Answers, *, configured: float | None = None) -> list[Quota]:
    """One per namespace and resource.

    Of several the largest counts: their scopes are not exported, and one for high priority only lies within that for all.
    """
    units: dict[tuple[str, str], int] = {}
    for labels, _, values in answers.counts("quotas"):
        resource = sanitised(labels.get("resource", "").removeprefix(REQUESTS))
        if re.fullmatch(GPU, resource):
            key = labels.get("namespace", ""), resource
            units[key] = max(floor(values[-1]), units.get(key, 0))
    if not units:
        return []
    spaces = label_runs(answers, "namespace_labels", lambda series: series.get("namespace", ""), configured=configured)
    return [Quota(*key, count, dict(spaces[key[0]][0].labels) if spaces.get(key[0]) else {}) for key, count in sorted(units.items())]
