-- What the schedule needs: pages scraped directly, whose turn a window is, and how facts and ledger stay in step.

create table scrape (
    cluster_id smallint not null,
    slot timestamptz not null,
    target text not null,
    at timestamptz not null,
    page bytea,
    problem text not null default '',
    primary key (cluster_id, slot, target)
);
create index on scrape (cluster_id, at);
alter table scrape alter column page set storage external;  -- compressed already

alter table collection_window
    add column collected_at timestamptz,
    add column failures integer not null default 0 check (failures >= 0),
    add column backfill boolean not null default false,
    -- grows with every change of the hour's facts; an hour accounted from an older version stays dirty
    add column facts_version bigint not null default 0,
    add column questions integer not null default 0,
    add column source_bytes bigint not null default 0,
    add column source_seconds double precision not null default 0;
create index on collection_window (cluster_id, start) where state <> 'done';
create index on collection_window (cluster_id, start) where dirty;
