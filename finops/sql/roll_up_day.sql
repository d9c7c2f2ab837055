-- One local day made again from its hours; its old rows are gone already. Which hours those are is for the caller to say: a
-- database reads zones by rules of its own age, and some names, CET among them, as offsets that know no summer.
insert into ledger_day
select cluster_id, %(day)s::date, holding,
    sum(allocated), sum(used), sum(idle), sum(starting), sum(unmeasured), sum(unallocated), sum(capacity),
    sum(cost), sum(used_cost), sum(idle_cost), sum(starting_cost), sum(unmeasured_cost), sum(unallocated_cost),
    coalesce(sum(capacity) filter (where price is null), 0),
    coalesce(sum(allocated) filter (where price is not null), 0),
    coalesce(sum(used) filter (where price is not null), 0),
    sum(energy_kwh),
    sum(distributed_cost)
from ledger_hour
where cluster_id = %(cluster)s and hour >= %(start)s and hour < %(end)s
group by 1, 2, 3
