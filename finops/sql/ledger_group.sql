-- Days by what few differ in: most questions need no more, and a large fleet's pods are many. Made when an hour is stored, from the
-- day's own lines; whoever changes these otherwise takes the day's groups away with it, and it is read line by line again.
create table ledger_group (
    cluster_id smallint not null,
    day date not null,
    team text not null,
    department text not null,
    cost_center text not null,
    namespace text not null,
    job_kind text not null,
    node_pool text not null,
    gpu_model text not null,
    capacity_type text not null,
    queue text not null,
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
    distributed_cost numeric,
    check (allocated = used + idle + starting + unmeasured),
    check (capacity = allocated + unallocated)
);
create index on ledger_group (day, cluster_id);
create table grouped_day (cluster_id smallint not null, day date not null, primary key (cluster_id, day));

create function ungroup() returns trigger language plpgsql as $$
begin
    delete from ledger_group g using (select distinct cluster_id, day from changed) c where g.cluster_id = c.cluster_id and g.day = c.day;
    delete from grouped_day g using (select distinct cluster_id, day from changed) c where g.cluster_id = c.cluster_id and g.day = c.day;
    return null;
end $$;
create function ungroup_all() returns trigger language plpgsql as $$
begin
    delete from ledger_group;
    delete from grouped_day;
    return null;
end $$;
create trigger ungroup_added after insert on ledger_day referencing new table as changed for each statement execute function ungroup();
create trigger ungroup_changed after update on ledger_day referencing old table as changed for each statement execute function ungroup();
create trigger ungroup_removed after delete on ledger_day referencing old table as changed for each statement execute function ungroup();
create trigger ungroup_emptied after truncate on ledger_day for each statement execute function ungroup_all();
