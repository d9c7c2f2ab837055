-- Whatever changes money or rights leaves a line: who, when, from what to what. Written by the tables themselves, so that
-- no command, page or hand-made statement passes by it. A line is never changed and never deleted.
create table audit_line (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    actor text not null,
    action text not null check (action in ('added', 'changed', 'removed')),
    subject text not null,
    row_id text not null,
    before jsonb,
    after jsonb
);
create index on audit_line (at);

create function audit_is_kept() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is kept: its lines are neither changed nor deleted';
end $$;
create trigger audit_is_kept before update or delete or truncate on audit_line for each statement execute function audit_is_kept();

-- Arguments: columns that are never noted, then '|', then columns of which only a change is noted, never the value.
create function audited() returns trigger language plpgsql as $$
declare
    bar int := coalesce(array_position(tg_argv, '|'), tg_nargs);  -- both count from 0
    left_out text[] := coalesce(tg_argv[0:bar - 1], '{}');
    secret text[] := coalesce(tg_argv[bar + 1:], '{}');
    older jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - left_out end;
    newer jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - left_out end;
    name text := coalesce(newer, older) ->> 'id';
begin
    if tg_op = 'UPDATE' then
        select jsonb_object_agg(key, value) into newer from jsonb_each(newer) where value is distinct from older -> key;
        if newer is null then
            return null;
        end if;
        select jsonb_object_agg(key, value) into older from jsonb_each(older) where newer ? key;
    end if;
    select older || coalesce(jsonb_object_agg(key, '***'), '{}') into older from unnest(secret) key where older ? key;
    select newer || coalesce(jsonb_object_agg(key, '***'), '{}') into newer from unnest(secret) key where newer ? key;
    insert into audit_line (actor, action, subject, row_id, before, after)
    values (coalesce(nullif(current_setting('finops.actor', true), ''), 'database user ' || session_user),
            case tg_op when 'INSERT' then 'added' when 'UPDATE' then 'changed' else 'removed' end,
            tg_table_name, coalesce(name, ''), older, newer);
    return null;
end $$;

create trigger audited after insert or update or delete on finops_setting for each row execute function audited();
create trigger audited after insert or update or delete on finops_cluster for each row execute function audited('first_hour');
create trigger audited after insert or update or delete on finops_teamrule for each row execute function audited();
create trigger audited after insert or update or delete on finops_rate for each row execute function audited();
create trigger audited after insert or update or delete on finops_exchangerate for each row execute function audited();
