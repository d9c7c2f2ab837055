-- The findings of a window by kind, cluster and subject, dearest first. teams: whose part is told, null for every part.
-- Materialized: each part is reckoned once, however few rows the planner expects.
with seen as (
    select f.cluster_id, c.name, f.kind, f.subject, f.hour, f.message, f.evidence, f.shares, mine.gpu_hours, mine.cost
    from finding f join finops_cluster c on c.id = f.cluster_id
    cross join lateral (
        select sum((told ->> 'gpu_hours')::numeric) as gpu_hours, sum((told ->> 'cost')::numeric) as cost
        from jsonb_each(f.shares) as share (team, told) where %(teams)s::text[] is null or team = any(%(teams)s::text[])) mine
    where f.cluster_id = any(array(select id from finops_cluster)) and f.hour >= %(start)s and f.hour < %(end)s
      and (%(clusters)s::text[] = '{}' or c.name = any(%(clusters)s::text[])) and (%(kinds)s::text[] = '{}' or f.kind = any(%(kinds)s::text[]))
      and (%(teams)s::text[] is null or f.shares ?| %(teams)s::text[])
), fault as (
    select cluster_id, name, kind, subject, count(distinct hour) as hours, max(hour) as last, sum(gpu_hours) as gpu_hours, sum(cost) as cost,
      (array_agg(message order by hour desc))[1] as message, (array_agg(evidence order by hour desc))[1] as evidence,
      (array_agg(shares order by hour desc))[1] as shares
    from seen group by cluster_id, name, kind, subject
    order by sum(cost) desc nulls last, sum(gpu_hours) desc nulls last, name, kind, subject limit %(most)s
), whose as materialized (
    select s.cluster_id, s.kind, s.subject, array_agg(distinct team order by team) filter (where team <> 'unallocated') as teams,
      (array_agg(distinct pod order by pod) filter (where pod is not null))[1:%(pods)s::int] as pods
    from seen s cross join lateral jsonb_each(s.shares) as share (team, told)
    left join lateral jsonb_array_elements_text(told -> 'pods') as pod on true
    where %(teams)s::text[] is null or team = any(%(teams)s::text[])
    group by s.cluster_id, s.kind, s.subject
), told as (
    select b.cluster_id, b.kind, b.subject, b.hour, lag(b.hour) over (partition by b.cluster_id, b.kind, b.subject order by b.hour) as before
    from finding b join fault f using (cluster_id, kind, subject)
    where b.hour < %(end)s and b.hour >= %(back)s and (%(teams)s::text[] is null or b.shares ?| %(teams)s::text[])
), since as materialized (
    select cluster_id, kind, subject, max(hour) as hour from told where before is null or hour - before > %(pause)s
    group by cluster_id, kind, subject
), newest as materialized (
    select cluster_id, max(start) as hour from collection_window where accounted_at is not null and start < %(end)s group by cluster_id
)
select f.name, f.kind, f.subject, since.hour, f.last, f.hours, f.gpu_hours, f.cost, whose.teams, whose.pods, f.message, f.evidence::text,
  array(select jsonb_object_keys(f.shares)), coalesce(f.last >= newest.hour - interval '1 hour', false)
from fault f
join since using (cluster_id, kind, subject)
left join whose using (cluster_id, kind, subject)
left join newest using (cluster_id)
order by f.cost desc nulls last, f.gpu_hours desc nulls last, f.name, f.kind, f.subject
