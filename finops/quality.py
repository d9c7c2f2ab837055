"""What is doubtful about the figures of a window, for those who may see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from finops.findings import Finding
from finops.scope import Window

MOST = 10_000  # findings of one answer


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding about the hour of `cluster` that begins at `hour` (UTC)."""

    cluster: str
    hour: datetime
    finding: Finding


def findings(window: Window, *, clusters: Sequence[str] = (), teams: frozenset[str] | None = None) -> list[Doubt]:
    """The findings of hours that begin in the window, by hour, cluster, kind and subject; at most MOST.

    `clusters`: names, empty for all. `teams`: what the reader may see, None for all of it; such a reader gets findings about
    pods of one of these teams only. What names pods of several teams, or none, is for those who see all.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """select c.name, f.hour, f.kind, f.subject, f.message, f.evidence::text, f.teams
               from finding f join finops_cluster c on c.id = f.cluster_id
               where f.hour >= %(start)s and f.hour < %(end)s and (%(clusters)s = '{}'::text[] or c.name = any(%(clusters)s))
                 and (%(teams)s::text[] is null or (cardinality(f.teams) = 1 and f.teams <@ %(teams)s::text[]))
               order by f.hour, c.name, f.kind, f.subject limit %(most)s""",
            {
                "start": window.start,
                "end": window.end,
                "clusters": list(clusters),
                "teams": None if teams is None else sorted(teams),
                "most": MOST,
            },
        )
        return [_doubt(*row) for row in cursor.fetchall()]


def _doubt(cluster: str, hour: datetime, kind: str, subject: str, message: str, evidence: str, teams: list[str]) -> Doubt:
    return Doubt(cluster, hour, Finding(kind, subject, message, json.loads(evidence), tuple(teams)))
