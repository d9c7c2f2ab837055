-- What a finding touches: whose hours and money, and who found it, so that each replaces what is its own.

alter table finding
    add column origin text not null default 'accounting' check (origin in ('collecting', 'accounting')),
    add column reach jsonb not null default '[]',
    add column shares jsonb not null default '{}',  -- by team: GPU-hours, cost, pods
    add column gpu_hours numeric(20, 10) check (finite(gpu_hours) and gpu_hours >= 0),
    add column cost numeric(20, 10) check (finite(cost) and cost >= 0);
update finding set origin = 'collecting' where kind = 'source_forgot';
alter table finding
    drop constraint finding_pkey,
    add primary key (cluster_id, hour, kind, subject, origin);
create index on finding (cluster_id, kind, subject, hour);  -- since when
