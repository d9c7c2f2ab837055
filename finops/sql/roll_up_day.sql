-- The days that hold the given hours, made again from their hours; their old rows are gone already.
with days as (
    select distinct (hour at time zone %(zone)s)::date as day
    from unnest(%(hours)s::timestamptz[]) as hour
)
insert into ledger_day
select cluster_id, (hour at time zone %(zone)s)::date, holding,
    sum(allocated), sum(used), sum(idle), sum(starting), sum(unmeasured), sum(unallocated), sum(capacity),
    sum(cost), sum(used_cost), sum(idle_cost), sum(starting_cost), sum(unmeasured_cost), sum(unallocated_cost),
    coalesce(sum(capacity) filter (where price is null), 0),
    coalesce(sum(allocated) filter (where price is not null), 0),
    coalesce(sum(used) filter (where price is not null), 0),
    sum(energy_kwh)
from ledger_hour
where cluster_id = %(cluster)s
  -- A day wide on both sides, for the index alone: where clocks go back over midnight, midnight is twice, and this takes the second.
  and hour >= (select (min(day) - 1)::timestamp at time zone %(zone)s from days)
  and hour < (select (max(day) + 2)::timestamp at time zone %(zone)s from days)
  and (hour at time zone %(zone)s)::date in (select day from days)
group by 1, 2, 3
