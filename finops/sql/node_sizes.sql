-- What an instance's price is divided by, where kube-state-metrics tells it.
alter table node_hour
    add column cpus double precision check (finite(cpus) and cpus > 0),
    add column memory_bytes double precision check (finite(memory_bytes) and memory_bytes > 0);
