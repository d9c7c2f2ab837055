-- Facts, conclusions and progress. `cluster_id` leads every key; what lasts is cut by months.
-- Instants inside facts are unix seconds, as the sources give them; hours and days are what tables are cut by.

create function finite(x numeric) returns boolean immutable language sql
    return x is null or (x > -1e9 and x < 1e9);  -- NaN sorts above every number, so this refuses it
create function finite(x double precision) returns boolean immutable language sql
    return x is null or (x > -1e18 and x < 1e18);

create table collection_window (
    cluster_id smallint not null,
    start timestamptz not null,
    "end" timestamptz not null,
    state text not null default 'missing'
        check (state in ('missing', 'leased', 'done', 'partial', 'failed', 'gap_accepted')),
    attempt integer not null default 0,
    lease_until timestamptz,
    owner text not null default '',
    collected_until timestamptz,
    fingerprint text not null default '',
    rows integer not null default 0,
    coverage double precision check (coverage between 0 and 1),
    problem text not null default '',
    dirty boolean not null default true,
    capacity_gpu_hours numeric(20, 10) check (finite(capacity_gpu_hours)),
    cost numeric(20, 10) check (finite(cost)),
    accounted_at timestamptz,
    primary key (cluster_id, start),
    check ("end" > start)
);

create table node_hour (
    cluster_id smallint not null,
    hour timestamptz not null,
    node text not null,
    node_uid text not null,
    created double precision check (finite(created)),
    first_seen double precision not null check (finite(first_seen)),
    last_seen double precision not null check (finite(last_seen) and last_seen >= first_seen),
    half_interval double precision not null check (half_interval between 0 and 86400),
    capacity jsonb not null,
    unit_shares jsonb not null,
    models jsonb not null,
    boards integer not null check (boards >= 0),
    node_pool text not null,
    instance_type text not null,
    capacity_type text not null,
    primary key (cluster_id, hour, node, node_uid)
) partition by range (hour);

create table pod_hour (
    cluster_id smallint not null,
    hour timestamptz not null,
    uid text not null,
    resource text not null,
    namespace text not null,
    pod text not null,
    node text not null,
    quantity integer not null check (quantity >= 0),
    first_held double precision check (finite(first_held)),
    last_held double precision check (finite(last_held)),
    half_interval double precision not null check (half_interval between 0 and 86400),
    scheduled double precision check (finite(scheduled)),
    accepted double precision check (finite(accepted)),
    started double precision check (finite(started)),
    ended double precision check (finite(ended)),
    completed double precision check (finite(completed)),
    job_kind text not null,
    job text not null,
    run text not null,
    user_name text not null,
    queue text not null,
    label_runs jsonb not null,
    namespace_label_runs jsonb not null,
    primary key (cluster_id, hour, uid, resource)
) partition by range (hour);
create index on pod_hour (cluster_id, uid, hour);

create table use_quarter (
    cluster_id smallint not null,
    quarter timestamptz not null,
    uuid text not null,
    gpu_instance text not null,
    uid text not null,
    resource text not null,
    node text not null,
    gpu_model text not null,
    share double precision not null check (share between 0 and 1.0000001),
    held_seconds double precision not null check (held_seconds between 0 and 901),
    measured_seconds double precision not null check (measured_seconds between 0 and held_seconds + 0.001),
    busy_seconds double precision not null check (busy_seconds between 0 and measured_seconds * share + 0.001),
    samples integer not null check (samples >= 0),
    rejected integer not null check (rejected >= 0),
    busy_histogram integer[] not null check (array_length(busy_histogram, 1) = 20),
    memory_max_mib double precision check (finite(memory_max_mib)),
    sm_active double precision check (sm_active between 0 and 1.05),
    energy_joules double precision check (finite(energy_joules) and energy_joules >= 0),
    temperature_max double precision check (finite(temperature_max)),
    xid_changes integer check (xid_changes >= 0),
    source text not null,
    inferred boolean not null,
    primary key (cluster_id, quarter, uuid, gpu_instance, uid, resource)
) partition by range (quarter);

create table lease (
    cluster_id smallint not null,
    uid text not null,
    resource text not null,
    namespace text not null,
    pod text not null,
    node text not null,
    quantity integer not null,
    first_held double precision,
    last_held double precision,
    half_interval double precision not null,
    scheduled double precision,
    accepted double precision,
    started double precision,
    ended double precision,
    completed double precision,
    primary key (cluster_id, uid, resource)
);
create index on lease (cluster_id, last_held);

create table holding (
    cluster_id smallint not null,
    key uuid not null,
    team text not null,
    department text not null,
    cost_center text not null,
    namespace text not null,
    job_kind text not null,
    job text not null,
    run text not null,
    pod text not null,
    uid text not null,
    "user" text not null,
    node text not null,
    node_pool text not null,
    instance_type text not null,
    gpu_model text not null,
    capacity_type text not null,
    queue text not null,
    labels jsonb not null,
    primary key (cluster_id, key)
);

create table ledger_hour (
    cluster_id smallint not null,
    hour timestamptz not null,
    since timestamptz not null,
    holding uuid not null,
    price numeric(20, 10) check (finite(price) and price >= 0),
    allocated numeric(20, 10) not null,
    used numeric(20, 10) not null check (used >= 0 and finite(used)),
    idle numeric(20, 10) not null check (idle >= 0 and finite(idle)),
    starting numeric(20, 10) not null check (starting >= 0 and finite(starting)),
    unmeasured numeric(20, 10) not null check (unmeasured >= 0 and finite(unmeasured)),
    unallocated numeric(20, 10) not null check (unallocated >= 0 and finite(unallocated)),
    capacity numeric(20, 10) not null,
    cost numeric(20, 10),
    used_cost numeric(20, 10),
    idle_cost numeric(20, 10),
    starting_cost numeric(20, 10),
    unmeasured_cost numeric(20, 10),
    unallocated_cost numeric(20, 10),
    energy_kwh double precision check (finite(energy_kwh) and energy_kwh >= 0),
    primary key (cluster_id, hour, since, holding),
    constraint allocated_balances check (allocated = used + idle + starting + unmeasured),
    constraint capacity_balances check (capacity = allocated + unallocated),
    constraint priced_whole_or_not check (
        num_nulls(price, cost, used_cost, idle_cost, starting_cost, unmeasured_cost, unallocated_cost) in (0, 7)),
    constraint cost_balances check (finite(cost) and
        (cost is null or cost = used_cost + idle_cost + starting_cost + unmeasured_cost + unallocated_cost))
) partition by range (hour);

create table ledger_day (
    cluster_id smallint not null,
    day date not null,
    holding uuid not null,
    allocated numeric not null,
    used numeric not null,
    idle numeric not null,
    starting numeric not null,
    unmeasured numeric not null,
    unallocated numeric not null,
    capacity numeric not null,
    cost numeric,
    used_cost numeric,
    idle_cost numeric,
    starting_cost numeric,
    unmeasured_cost numeric,
    unallocated_cost numeric,
    unpriced numeric not null,
    priced_allocated numeric not null,
    priced_used numeric not null,
    energy_kwh double precision,
    primary key (cluster_id, day, holding),
    check (allocated = used + idle + starting + unmeasured),
    check (capacity = allocated + unallocated)
) partition by range (day);

create table finding (
    cluster_id smallint not null,
    hour timestamptz not null,
    kind text not null,
    subject text not null,
    message text not null,
    evidence jsonb not null,
    primary key (cluster_id, hour, kind, subject)
);

-- One month's part of every table that is cut by months.
create function ensure_month(month date) returns void language plpgsql as $$
declare
    parent text;
    first date := date_trunc('month', month)::date;
begin
    foreach parent in array array['node_hour', 'pod_hour', 'use_quarter', 'ledger_hour', 'ledger_day'] loop
        if to_regclass(parent || to_char(first, '_YYYY_MM')) is null then
            execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
                parent || to_char(first, '_YYYY_MM'), parent,
                case when parent = 'ledger_day' then first::text else first::text || ' 00:00+00' end,
                case when parent = 'ledger_day' then (first + interval '1 month')::date::text
                     else (first + interval '1 month')::date::text || ' 00:00+00' end);
        end if;
    end loop;
end $$;

-- An hour whose lines do not add up to its total is not stored; the error says by how much.
create function hour_balances() returns trigger language plpgsql as $$
declare
    hours numeric;
    money numeric;
begin
    select coalesce(sum(capacity), 0), coalesce(sum(cost), 0) into hours, money
        from ledger_hour where cluster_id = new.cluster_id and hour = new.start;
    if new.capacity_gpu_hours is not null and (hours <> new.capacity_gpu_hours or money <> coalesce(new.cost, 0)) then
        raise exception 'cluster % hour %: lines give % GPU-hours and % money, the hour has % and %',
            new.cluster_id, new.start, hours, money, new.capacity_gpu_hours, new.cost
            using errcode = 'check_violation';
    end if;
    return null;
end $$;
create constraint trigger hour_balances after insert or update on collection_window
    deferrable initially deferred for each row execute function hour_balances();
