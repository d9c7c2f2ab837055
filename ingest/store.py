"""Writes one window's facts, whole or not at all, and says which hours must be accounted again."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import connection, transaction

from finops import partitions
from finops.accounting.gpu_resources import CLAIM
from finops.accounting.leases import Sightings, lease
from finops.findings import Part
from ingest.sources import Spent
from ingest.tidy.facts import BOARD_COLUMNS, NODE_COLUMNS, POD_COLUMNS, QUOTA_COLUMNS, USE_COLUMNS, Facts
from ingest.windows import Overtaken

TABLES = {
    "node_hour": ("hour", NODE_COLUMNS),
    "pod_hour": ("hour", POD_COLUMNS),
    "use_quarter": ("quarter", USE_COLUMNS),
    "board_quarter": ("quarter", BOARD_COLUMNS),
    "quota_hour": ("hour", QUOTA_COLUMNS),
}
SEEN = "first_held last_held half_interval scheduled accepted started ended completed taken".split()
LEASE = ["uid", "resource", "namespace", "pod", "node", "quantity", *SEEN]
TELL = """insert into finding (cluster_id, hour, kind, subject, message, evidence, reach, origin) values (%s, %s, %s, %s, %s, %s, %s, 'collecting')
    on conflict (cluster_id, hour, kind, subject, origin) do update
    set message = excluded.message, evidence = excluded.evidence, reach = excluded.reach"""
GATHER = """select %(cluster)s, uid, resource, min(namespace), min(pod), min(node), max(quantity), min(first_held), max(last_held),
    max(half_interval), min(scheduled), min(accepted), min(started), min(ended), min(completed),
    (array_agg(taken order by last_held desc nulls last, taken))[1]
    from pod_hour where cluster_id = %(cluster)s and uid = any(%(uids)s) group by uid, resource"""


class SourceForgot(Exception):
    """The source now answers nothing for a window it had facts of: what is stored stays."""


def store(facts: Facts, *, cluster: int, attempt: int, until: datetime, settled: datetime, spent: Spent) -> None:
    """Replaces the window's facts in one transaction; the window is done where the source has settled beyond its end.

    Raises SourceForgot where an empty answer would erase facts, which becomes a finding of the hour, Overtaken where `attempt` is
    no longer the window's.
    """
    partitions.make(facts.start.date(), facts.end.date())
    try:
        _store(facts, cluster=cluster, attempt=attempt, until=until, settled=settled, spent=spent)
    except SourceForgot as error:
        _note(cluster, facts, str(error))
        raise


def _store(facts: Facts, *, cluster: int, attempt: int, until: datetime, settled: datetime, spent: Spent) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # Neighbouring windows share leases: one writer per cluster, so that two never renew the same lease at once.
        cursor.execute("select pg_advisory_xact_lock(%s, 0)", [cluster])
        fingerprint = facts.fingerprint()
        _tell(cursor, cluster, facts)
        if _same(cursor, cluster, facts, attempt=attempt, fingerprint=fingerprint):
            return _mark(cursor, cluster, facts, attempt=attempt, until=until, settled=settled, fingerprint=fingerprint, spent=spent)
        if not facts.nodes and _has(cursor, cluster, facts):
            raise SourceForgot(f"{facts.start.isoformat()}: the source answers nothing where it had facts; kept what is stored")
        spans = _bridged(cursor, cluster, facts)
        old = _leases(cursor, cluster, _stored_uids(cursor, cluster, facts) | {row[1] for row in facts.pods})
        models = _models(cursor, cluster, facts)
        for table, rows in zip(TABLES, (facts.nodes, facts.pods, facts.uses, facts.boards, facts.quotas), strict=True):
            _replace(cursor, table, rows, cluster=cluster, facts=facts)
        uids = {uid for uid, _ in old} | {row[1] for row in facts.pods}
        _renew_leases(cursor, cluster, uids)
        _mark(cursor, cluster, facts, attempt=attempt, until=until, settled=settled, fingerprint=fingerprint, spent=spent)
        blind = _blind(cursor, cluster, {uid for uid, _ in models.items() ^ _models(cursor, cluster, facts).items()})
        spans += [(facts.start.timestamp(), facts.end.timestamp()), *_moved(old, _leases(cursor, cluster, uids)), *blind]
        _mark_dirty(cursor, cluster, spans + _bridged(cursor, cluster, facts))


def _tell(cursor, cluster: int, facts: Facts) -> None:
    """What this collecting found of the window, in place of what earlier ones did; what of it stays keeps what it was found to touch."""
    told = [[cluster, facts.start, f.kind, f.subject, f.message, json.dumps(f.evidence), json.dumps([p.as_json() for p in f.reach])] for f in facts.findings]
    cursor.execute(
        """delete from finding where cluster_id = %s and hour = %s and origin = 'collecting'
           and not (kind, subject) in (select unnest(%s::text[]), unnest(%s::text[]))""",
        [cluster, facts.start, [row[2] for row in told], [row[3] for row in told]],
    )
    cursor.executemany(TELL, told)


def _note(cluster: int, facts: Facts, message: str) -> None:
    """That the source forgot the hour; it is accounted anew to see what that touches."""
    whole = json.dumps([Part().as_json()])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select from finding where cluster_id = %s and hour = %s and kind = 'source_forgot'", [cluster, facts.start])
        if not cursor.rowcount:
            _mark_dirty(cursor, cluster, [(facts.start.timestamp(), facts.end.timestamp())])
        cursor.execute(TELL, [cluster, facts.start, "source_forgot", "", message, "{}", whole])


def _same(cursor, cluster: int, facts: Facts, *, attempt: int, fingerprint: str) -> bool:
    """Whether exactly these facts are stored already; Overtaken where somebody else has been given the window."""
    cursor.execute(
        "select attempt, fingerprint from collection_window where cluster_id = %s and start = %s for update", [cluster, facts.start]
    )
    held, stored = cursor.fetchone() or (None, "")
    if held != attempt:
        raise Overtaken(f"{facts.start.isoformat()}: attempt {attempt} was overtaken by attempt {held}")
    return stored == fingerprint


def _has(cursor, cluster: int, facts: Facts) -> bool:
    cursor.execute("select exists (select from node_hour where cluster_id = %s and hour = %s)", [cluster, facts.start])
    return cursor.fetchone()[0]


def _stored_uids(cursor, cluster: int, facts: Facts) -> set[str]:
    cursor.execute("select uid from pod_hour where cluster_id = %s and hour = %s", [cluster, facts.start])
    return {uid for (uid,) in cursor.fetchall()}


def _replace(cursor, table: str, rows: Iterable[Sequence[object]], *, cluster: int, facts: Facts) -> None:
    when, columns = TABLES[table]
    cursor.execute(f"delete from {table} where cluster_id = %s and {when} >= %s and {when} < %s", [cluster, facts.start, facts.end])
    names = ", ".join(["cluster_id", *columns])
    with cursor.copy(f"copy {table} ({names}) from stdin") as copy:
        for row in rows:
            copy.write_row([cluster, *(json.dumps(v) if isinstance(v, dict | list) else v for v in row)])


def _renew_leases(cursor, cluster: int, uids: set[str]) -> None:
    cursor.execute("delete from lease where cluster_id = %s and uid = any(%s)", [cluster, sorted(uids)])
    cursor.execute(f"insert into lease (cluster_id, {', '.join(LEASE)}) {GATHER}", {"cluster": cluster, "uids": sorted(uids)})


def _leases(cursor, cluster: int, uids: set[str]) -> dict[tuple[str, str], Sightings]:
    cursor.execute(f"select uid, resource, {', '.join(SEEN)} from lease where cluster_id = %s and uid = any(%s)", [cluster, sorted(uids)])
    return {(uid, resource): Sightings(*seen) for uid, resource, *seen in cursor.fetchall()}


def _moved(old: dict, new: dict) -> list[tuple[float, float]]:
    """The spans in which a lease begins, starts or ends otherwise than before."""
    spans = []
    for key in old.keys() | new.keys():
        before = lease(old[key]) if key in old else None
        after = lease(new[key]) if key in new else None
        if before and after:
            pairs = [(before.start, after.start), (before.started, after.started), (before.end, after.end)]
            spans += [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
        elif whole := before or after:
            spans.append((whole.start, whole.end))
    return spans


def _bridged(cursor, cluster: int, facts: Facts) -> list[tuple[float, float]]:
    """Gaps beside this window over which a node of it was there before or is there after."""
    start, end = facts.start.timestamp(), facts.end.timestamp()
    cursor.execute(
        """select max(n.last_seen) filter (where n.hour < h.hour), min(n.first_seen) filter (where n.hour > h.hour)
           from node_hour h join node_hour n using (cluster_id, node, node_uid)
           where h.cluster_id = %s and h.hour = %s and n.hour between h.hour - interval '7 days' and h.hour + interval '7 days'
           group by h.node, h.node_uid""",
        [cluster, facts.start],
    )
    spans = []
    for before, after in cursor.fetchall():
        spans += [(before, start)] if before and before < start else []
        spans += [(end, after)] if after and after > end else []
    return spans


def _models(cursor, cluster: int, facts: Facts) -> dict[str, str]:
    """The GPU models this hour shows, by uid, of pods on nodes with several, and of those with claims: nothing else tells what those hold."""
    cursor.execute(
        """select node from node_hour where cluster_id = %s and hour = %s and (select count(*) from jsonb_object_keys(models)) > 1""",
        [cluster, facts.start],
    )
    nodes = [node for (node,) in cursor.fetchall()]
    cursor.execute(
        """select uid, string_agg(resource || gpu_models::text, ' ' order by resource) from pod_hour
           where cluster_id = %s and hour = %s and (node = any(%s) or resource = %s) group by uid""",
        [cluster, facts.start, nodes, CLAIM],
    )
    return dict(cursor.fetchall())


def _blind(cursor, cluster: int, uids: set[str]) -> list[tuple[float, float]]:
    """Hours of these pods in which no device told their model: those go by what other hours show."""
    if not uids:
        return []
    cursor.execute(
        """select extract(epoch from w.start)::float8, extract(epoch from w."end")::float8
           from collection_window w join lease l using (cluster_id)
           where w.cluster_id = %s and l.uid = any(%s) and w.start < to_timestamp(greatest(l.last_held + l.half_interval, l.completed))
             and w."end" > to_timestamp(coalesce(l.scheduled, l.accepted, l.first_held))
             and not exists (select from use_quarter u where u.cluster_id = w.cluster_id and u.uid = l.uid and u.resource = l.resource
               and u.quarter >= w.start and u.quarter < w."end")""",
        [cluster, sorted(uids)],
    )
    return cursor.fetchall()


def _mark(
    cursor, cluster: int, facts: Facts, *, attempt: int, until: datetime, settled: datetime, fingerprint: str, spent: Spent
) -> None:
    collected = min(until, facts.end)
    # Capacity reaches as far as the hour was read: reading further changes the hour even where the facts are the same.
    cursor.execute(
        """update collection_window set state = %s, dirty = dirty or collected_until is distinct from %s,
             facts_version = facts_version + (collected_until is distinct from %s)::int,
             collected_until = %s, collected_at = now(), fingerprint = %s, rows = %s, coverage = %s,
             problem = '', failures = 0, owner = '', lease_until = null, questions = %s, source_bytes = %s, source_seconds = %s
           where cluster_id = %s and start = %s and attempt = %s""",
        [
            "done" if settled >= facts.end else "partial",
            *[collected] * 3,
            fingerprint,
            sum(map(len, (facts.pods, facts.nodes, facts.uses, facts.boards))),
            facts.coverage,
            spent.questions,
            spent.bytes,
            spent.seconds,
            cluster,
            facts.start,
            attempt,
        ],
    )


def _mark_dirty(cursor, cluster: int, spans: Sequence[tuple[float, float]]) -> None:
    cursor.execute(
        """update collection_window w set dirty = true, facts_version = facts_version + 1
           from (select distinct start from collection_window, unnest(%s::float8[], %s::float8[]) as span(begin, until)
                 where cluster_id = %s and start < to_timestamp(until) and "end" > to_timestamp(begin)) touched
           where w.cluster_id = %s and w.start = touched.start""",
        [[float(begin) for begin, _ in spans], [float(until) for _, until in spans], cluster, cluster],
    )
