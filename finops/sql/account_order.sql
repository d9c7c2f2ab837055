-- A window somebody ordered to be accounted anew, until all of it is: the same order given again goes on with it.
create table account_order (
    cluster_id smallint not null,
    start timestamptz not null,
    "end" timestamptz not null,
    ordered_at timestamptz not null default now(),
    primary key (cluster_id, start, "end"),
    check ("end" > start)
);
