-- The groups of a day whose lines were just made, and whose holdings are stored.
with done as (insert into grouped_day values (%(cluster)s, %(day)s))
insert into ledger_group
select l.cluster_id, l.day, h.team, h.department, h.cost_center, h.namespace, h.job_kind, h.node_pool, h.gpu_model, h.capacity_type, h.queue,
    sum(allocated), sum(used), sum(idle), sum(starting), sum(unmeasured), sum(unallocated), sum(capacity),
    sum(cost), sum(used_cost), sum(idle_cost), sum(starting_cost), sum(unmeasured_cost), sum(unallocated_cost),
    sum(unpriced), sum(priced_allocated), sum(priced_used), sum(energy_kwh order by l.holding), sum(distributed_cost)
from ledger_day l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
where l.cluster_id = %(cluster)s and l.day = %(day)s
group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
