"""What is doubtful about the figures of a window, for those who may see it: finding by finding, and as faults."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from django.db import connection

from finops.accounting.money import display
from finops.findings import Finding
from finops.kinds import Kind, kind
from finops.models import Setting
from finops.scope import Refused, Window

FAULTS = (Path(__file__).parent / "sql" / "faults_of_window.sql").read_text()
MOST = 10_000  # findings of one answer
MOST_FAULTS = 2_000
MOST_DAYS = 400
MOST_PODS = 20  # named of one fault
PAUSE = timedelta(days=1)  # a fault that comes back within it goes on
BACK = timedelta(days=92)  # how far before the window its beginning is looked for


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding about the hour of `cluster` that begins at `hour` (UTC)."""

    cluster: str
    hour: datetime
    finding: Finding


@dataclass(frozen=True, slots=True)
class Fault:
    """The findings of one kind about one subject of a cluster.

    `since`: the first hour of its latest run, whose hours are at most PAUSE apart, looked for up to BACK before the window; `last`: its
    last hour; `lasts`: whether the newest hours of the cluster show it. `hours` of the window have it; `gpu_hours` and `cost` are what it
    touches in them, None where nothing is known or nothing has a price. `pods`: the first few, namespace/name.
    """

    kind: Kind
    cluster: str
    subject: str
    since: datetime
    last: datetime
    lasts: bool
    hours: int
    gpu_hours: Decimal | None
    cost: Decimal | None
    teams: tuple[str, ...]
    pods: tuple[str, ...]
    message: str
    cure: str
    period_start: None = None  # a page of faults is cut as one of costs

    @property
    def keys(self) -> dict[str, str]:
        """What tells it from others."""
        return {"cluster": self.cluster, "kind": self.kind.name, "subject": self.subject}

    def as_json(self, zone: ZoneInfo) -> dict[str, object]:
        """The fault as the API prints it."""
        return {
            "kind": self.kind.name,
            "title": self.kind.title,
            "level": self.kind.level,
            "makes_figures_wrong": self.kind.wrong,
            "cluster": self.cluster,
            "subject": self.subject,
            "since": self.since.astimezone(zone).isoformat(),
            "last": self.last.astimezone(zone).isoformat(),
            "lasts": self.lasts,
            "hours": self.hours,
            "gpu_hours": display(self.gpu_hours),
            "cost": display(self.cost),
            "teams": list(self.teams),
            "pods": list(self.pods),
            "message": self.message,
            "meaning": self.kind.meaning,
            "cure": self.cure,
        }


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


def faults(
    window: Window, *, clusters: Sequence[str] = (), kinds: Sequence[str] = (), touching: Sequence[str] = (), teams: frozenset[str] | None = None
) -> list[Fault]:
    """The faults of hours that begin in the window, by money and then hours they touch, falling; at most MOST_FAULTS.

    `clusters`, `kinds`, `touching` (teams): empty for all. `teams`: what the reader may see, None for all of it; such a reader gets the
    faults that touch pods of these teams, with their own hours, money and pods, and no text that speaks of others.
    """
    if window.end - window.start > timedelta(days=MOST_DAYS):
        raise Refused(f"the window is longer than {MOST_DAYS} days; ask for less")
    told = teams if not touching else frozenset(touching) if teams is None else teams & set(touching)
    unit = (Setting.objects.first() or Setting()).currency
    asked = {"start": window.start, "end": window.end, "back": window.start - BACK, "pause": PAUSE, "most": MOST_FAULTS, "pods": MOST_PODS}
    with connection.cursor() as cursor:
        cursor.execute(FAULTS, asked | {"clusters": list(clusters), "kinds": list(kinds), "teams": None if told is None else sorted(told)})
        return [_fault(*row, teams=teams, unit=unit) for row in cursor.fetchall()]


def _doubt(cluster: str, hour: datetime, kind: str, subject: str, message: str, evidence: str, teams: list[str]) -> Doubt:
    return Doubt(cluster, hour, Finding(kind, subject, message, json.loads(evidence), tuple(teams)))


def _fault(
    cluster, name, subject, since, last, hours, gpu_hours, cost, whose, pods, message, evidence, concerned, lasts, *,
    teams: frozenset[str] | None, unit: str,
) -> Fault:  # fmt: skip
    """`concerned`: every team whose pods the message may name."""
    about, known = kind(name), {"currency": unit} | json.loads(evidence) | {"cluster": cluster, "from": str(since.date())}
    alone = teams is None or set(concerned) <= teams
    return Fault(
        about, cluster, subject, since, last, lasts, hours, gpu_hours, cost, tuple(whose or ()), tuple(pods or ()),
        message if alone else about.title, about.cure_for(known),
    )  # fmt: skip
