-- A policy that was written down before policies were in force holds from the beginning, and its cluster's hours are made again.

insert into finops_unallocatedpolicy (cluster_id, policy, node_pools)
    select id, unallocated_policy, '[]' from finops_cluster where unallocated_policy <> 'keep' order by id;
update collection_window set dirty = true, facts_version = facts_version + 1
    where collected_until is not null and cluster_id in (select cluster_id from finops_unallocatedpolicy);
set constraints all immediate;  -- a table cannot be altered while checks of it wait for the commit

create trigger audited after insert or update or delete on finops_unallocatedpolicy for each row execute function audited();
