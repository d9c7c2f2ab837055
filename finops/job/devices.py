"""The devices under a job's pods, and how well each was measured."""

from collections import defaultdict
from collections.abc import Collection

from django.db import connection

from finops.job.explanation import Device
from finops.scope import Window

SQL = """
with mine as (select u.* from use_quarter u join finops_cluster c on c.id = u.cluster_id
    where c.name = %(cluster)s and u.uid = any(%(uids)s) and u.quarter >= %(start)s and u.quarter < %(end)s),
held as (select cluster_id, uid, resource, coalesce(scheduled, accepted, first_held) as begin, greatest(last_held + half_interval, completed) as over
    from lease where cluster_id = (select id from finops_cluster where name = %(cluster)s)),
beside as (select m.uid, m.uuid, m.gpu_instance, count(distinct o.uid) as others
    from mine m join use_quarter o using (cluster_id, quarter, uuid, gpu_instance)
    join held a on (a.uid, a.resource) = (m.uid, m.resource) join held b on (b.uid, b.resource) = (o.uid, o.resource)
    where o.uid <> m.uid and m.share < 0.9999 and m.gpu_instance = '' and a.begin < b.over and b.begin < a.over group by 1, 2, 3)
select m.uid, m.uuid, m.gpu_instance, max(m.gpu_model), max(m.share), extract(epoch from min(m.quarter))::bigint,
    extract(epoch from max(m.quarter))::bigint + 900, sum(m.held_seconds), sum(m.measured_seconds), sum(m.busy_seconds), sum(m.samples)::int,
    sum(m.rejected)::int, array_agg(distinct m.source), bool_or(m.inferred), coalesce(max(b.others), 0)
from mine m left join beside b using (uid, uuid, gpu_instance) group by 1, 2, 3 order by 1, 2, 3
"""


def devices(cluster: str, uids: Collection[str], window: Window) -> dict[str, list[Device]]:
    """By uid."""
    found: dict[str, list[Device]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(SQL, {"cluster": cluster, "uids": sorted(uids), "start": window.start, "end": window.end})
        for uid, *row in cursor.fetchall():
            found[uid].append(_device(*row))
    return found


def _device(uuid, instance, model, share, first, last, held, measured, busy, samples, rejected, sources, inferred, beside) -> Device:
    plain = {source.partition("+")[0] for source in sources} - {"none"}
    source = "none" if not plain else plain.pop() if len(plain) == 1 else "mixed"
    frozen, estimated = (any(mark in source.split("+") for source in sources) for mark in ("frozen", "estimated"))
    return Device(
        uuid, instance, model, share, first, last, held, measured, busy, samples, rejected, source, frozen, inferred, estimated, beside
    )
