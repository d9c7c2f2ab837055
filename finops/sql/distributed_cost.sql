-- What policies moved between lines, quotas they may go by, and a database that refuses what does not come to 0.

alter table ledger_hour add column distributed_cost numeric(20, 10) check (finite(distributed_cost));
alter table ledger_day add column distributed_cost numeric;
-- A line gives away all its unallocated cost or nothing; who takes it has a line without hours and without cost. Null is nothing moved.
alter table ledger_hour add constraint distributed_whole check (distributed_cost is null or
    case when capacity > 0 then distributed_cost = -coalesce(unallocated_cost, 'NaN') else distributed_cost > 0 and price is null end);

create table quota_hour (
    cluster_id smallint not null,
    hour timestamptz not null,
    namespace text not null,
    resource text not null,
    units bigint not null check (units >= 0),
    namespace_labels jsonb not null,
    primary key (cluster_id, hour, namespace, resource)
) partition by range (hour);

create or replace function ensure_month(month date) returns void language plpgsql as $$
declare
    parent text;
    first date := date_trunc('month', month)::date;
begin
    foreach parent in array array['node_hour', 'pod_hour', 'quota_hour', 'use_quarter', 'board_quarter', 'ledger_hour', 'ledger_day'] loop
        if to_regclass(parent || to_char(first, '_YYYY_MM')) is null then
            execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
                parent || to_char(first, '_YYYY_MM'), parent,
                case when parent = 'ledger_day' then first::text else first::text || ' 00:00+00' end,
                case when parent = 'ledger_day' then (first + interval '1 month')::date::text
                     else (first + interval '1 month')::date::text || ' 00:00+00' end);
        end if;
    end loop;
end $$;

-- An hour whose lines do not add up to its total, or whose moved cost does not add up to 0 in each node pool, is not stored; the
-- error says by how much.
create or replace function hour_balances() returns trigger language plpgsql as $$
declare
    hours numeric;
    money numeric;
    pool text;
    moved numeric;
begin
    select coalesce(sum(capacity), 0), coalesce(sum(cost), 0) into hours, money
        from ledger_hour where cluster_id = new.cluster_id and hour = new.start;
    if new.capacity_gpu_hours is not null and (hours <> new.capacity_gpu_hours or money <> coalesce(new.cost, 0)) then
        raise exception 'cluster % hour %: lines give % GPU-hours and % money, the hour has % and %',
            new.cluster_id, new.start, hours, money, new.capacity_gpu_hours, new.cost
            using errcode = 'check_violation';
    end if;
    select h.node_pool, sum(l.distributed_cost) into pool, moved
        from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding
        where l.cluster_id = new.cluster_id and l.hour = new.start and l.distributed_cost is not null
        group by 1 having sum(l.distributed_cost) <> 0 order by 1 limit 1;
    if found then
        raise exception 'cluster % hour % node pool "%": distributed cost adds up to %, not to 0', new.cluster_id, new.start, pool, moved
            using errcode = 'check_violation';
    end if;
    return null;
end $$;
