-- Energy of boards that nobody held, which models a lease sat on, labels as runs over time, and whose pods a finding names.

create table board_quarter (
    cluster_id smallint not null,
    quarter timestamptz not null,
    uuid text not null,
    node text not null,
    gpu_model text not null,
    energy_joules double precision not null check (finite(energy_joules) and energy_joules >= 0),
    unheld_joules double precision not null check (unheld_joules between 0 and energy_joules),
    primary key (cluster_id, quarter, uuid)
) partition by range (quarter);

alter table pod_hour add column gpu_models jsonb not null default '{}';
alter table finding add column teams text[] not null default '{}';

update pod_hour set
    label_runs = jsonb_build_array(label_runs || jsonb_build_object('since', null, 'user', user_name, 'queue', queue)),
    namespace_label_runs = jsonb_build_array(namespace_label_runs || '{"since": null}')
where jsonb_typeof(label_runs) = 'object';

create or replace function ensure_month(month date) returns void language plpgsql as $$
declare
    parent text;
    first date := date_trunc('month', month)::date;
begin
    foreach parent in array array['node_hour', 'pod_hour', 'use_quarter', 'board_quarter', 'ledger_hour', 'ledger_day'] loop
        if to_regclass(parent || to_char(first, '_YYYY_MM')) is null then
            execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
                parent || to_char(first, '_YYYY_MM'), parent,
                case when parent = 'ledger_day' then first::text else first::text || ' 00:00+00' end,
                case when parent = 'ledger_day' then (first + interval '1 month')::date::text
                     else (first + interval '1 month')::date::text || ' 00:00+00' end);
        end if;
    end loop;
end $$;
