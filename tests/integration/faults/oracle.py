"""The one question asked after every fault: is the ledger what it would have been?"""

from datetime import UTC, datetime

from tests.integration.faults.stage import END, START, Stage

BUCKETS = "allocated used idle starting unmeasured unallocated capacity cost".split()
LINES = f"""select c.name, l.hour, l.since, h.team, h.namespace, h.job, h.pod, h.node, h.gpu_model, {", ".join(f"l.{b}" for b in BUCKETS)}
    from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding join finops_cluster c on c.id = l.cluster_id
    where c.name = %s and l.hour < to_timestamp(%s) order by 1, 2, 3, 4, 5, 6, 7, 8, 9"""


def ledger(stage: Stage, cluster: str = "plain") -> list[tuple]:
    """Every line of the case's hours, to the last stored digit."""
    return stage.sql(LINES, cluster, END)


def assert_undisturbed(stage: Stage, right: list[tuple], cluster: str = "plain") -> None:
    """The ledger equals the undisturbed run's, every window is done, the watermark stands at its end, nothing waits for anybody."""
    got = ledger(stage, cluster)
    assert len({line[1] for line in got}) == 12
    assert got == right
    first, last = (datetime.fromtimestamp(t, UTC) for t in (START, END))
    assert stage.sql(
        """select count(*), count(distinct start), bool_and(state = 'done'), bool_or(dirty), bool_or(owner <> ''), max(problem), max(failures)
           from collection_window w join finops_cluster c on c.id = w.cluster_id where c.name = %s and start >= %s and start < %s""",
        cluster, first, last,
    ) == [(12, 12, True, False, False, "", 0)]  # fmt: skip
    assert watermark(stage, cluster) == last
    assert_nothing_half(stage, cluster)


def assert_nothing_half(stage: Stage, cluster: str = "plain") -> None:
    """A window has all its facts or none; the ledger's lines add up to their hour and their hours to the day."""
    assert stage.sql(
        """select w.start, w.rows, n.count + p.count + u.count + b.count from collection_window w join finops_cluster c on c.id = w.cluster_id,
             lateral (select count(*) from node_hour where cluster_id = w.cluster_id and hour = w.start) n,
             lateral (select count(*) from pod_hour where cluster_id = w.cluster_id and hour = w.start) p,
             lateral (select count(*) from use_quarter where cluster_id = w.cluster_id and quarter >= w.start and quarter < w."end") u,
             lateral (select count(*) from board_quarter where cluster_id = w.cluster_id and quarter >= w.start and quarter < w."end") b
           where c.name = %s and n.count + p.count + u.count + b.count <> w.rows""", cluster) == []  # fmt: skip
    assert stage.sql(
        """select w.start from collection_window w join finops_cluster c on c.id = w.cluster_id,
             lateral (select coalesce(sum(capacity), 0) as capacity, coalesce(sum(cost), 0) as cost from ledger_hour
                      where cluster_id = w.cluster_id and hour = w.start) l
           where c.name = %s and (l.capacity <> coalesce(w.capacity_gpu_hours, 0) or l.cost <> coalesce(w.cost, 0))""", cluster) == []  # fmt: skip
    assert stage.sql(
        """select day, holding from (select cluster_id, (hour at time zone 'UTC')::date as day, holding, sum(capacity) as capacity,
                                       sum(allocated) as allocated, sum(used) as used, sum(cost) as cost from ledger_hour group by 1, 2, 3) h
           full join ledger_day d using (cluster_id, day, holding)
           where (h.capacity, h.allocated, h.used, h.cost) is distinct from (d.capacity, d.allocated, d.used, d.cost)""") == []  # fmt: skip


def watermark(stage: Stage, cluster: str = "plain") -> datetime | None:
    """The first hour that is not done."""
    return stage.sql(
        """select coalesce(min(start) filter (where state <> 'done'), max("end")) from collection_window w
           join finops_cluster c on c.id = w.cluster_id where c.name = %s""", cluster)[0][0]  # fmt: skip
