"""The ledger's lines of one job, each as it is stored."""

import json
from dataclasses import dataclass
from decimal import Decimal

from django.db import connection

from finops.job.question import Question
from finops.queries import Row
from finops.scope import Refused, Window
from finops.selection import PRICED, STORED, SUMS

MOST = 300_000  # lines of one explanation: half a gigabyte
ABOUT = "pod uid run node node_pool instance_type gpu_model capacity_type team user queue".split()


@dataclass(frozen=True, slots=True)
class Line:
    """What a pod held of one kind of GPU in [since, until) of an hour, at one price. `until`: the hour's end, or as far as it was read."""

    hour: int
    since: int
    until: int
    price: Decimal | None
    about: dict[str, str]
    labels: dict[str, str]
    sums: Row

    @property
    def uid(self) -> str:
        return self.about["uid"]


def lines(asked: Question, window: Window, *, currency: str) -> list[Line]:
    """By pod, node, kind of GPU and time. `asked` names cluster, namespace, kind and job. Refused where they are too many."""
    stored = [f"l.{name}" for name in STORED] + [case.replace("price", "l.price") for case in PRICED.values()] + ["l.energy_kwh"]
    names = ", ".join(f'h."{name}"' for name in ABOUT)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""select extract(epoch from l.hour)::bigint, extract(epoch from l.since)::bigint,
                 extract(epoch from least(w."end", w.collected_until))::bigint, l.price, h.labels::text, {names}, {", ".join(stored)}
               from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
                 join collection_window w on w.cluster_id = l.cluster_id and w.start = l.hour
               where l.cluster_id = (select id from finops_cluster where name = %(cluster)s) and l.hour >= %(start)s and l.hour < %(end)s
                 and h.namespace = %(namespace)s and h.job_kind = %(kind)s and h.job = %(name)s and (%(run)s = '' or h.run = %(run)s)
                 and (%(teams)s::text[] is null or h.team = any(%(teams)s::text[]))
               order by h.uid, h.node, h.gpu_model, l.hour, l.since, l.holding limit %(most)s""",
            {
                "cluster": asked.cluster,
                "namespace": asked.namespace,
                "kind": asked.kind,
                "name": asked.name,
                "run": asked.run,
                "most": MOST + 1,
                "start": window.start,
                "end": window.end,
                "teams": None if asked.teams is None else sorted(asked.teams),
            },
        )
        if cursor.rowcount > MOST:
            raise Refused(f"{asked.job} has more than {MOST:,} ledger lines in that window; ask for less of it with --start and --end, or for one --run")
        return [_line(record, currency) for record in cursor.fetchall()]


def _line(record: tuple, currency: str) -> Line:
    hour, since, until, price, labels, *rest = record
    about, sums = rest[: len(ABOUT)], rest[len(ABOUT) :]
    row = Row({}, None, None, dict(zip(SUMS, sums, strict=True)), currency)
    return Line(hour, since, until, price, dict(zip(ABOUT, about, strict=True)), json.loads(labels), row)
