"""A policy written down before policies were in force."""

from pathlib import Path

from tests.integration.test_export_config import manage

OLD = """
from django.db import connection
with connection.cursor() as c:
    for name, policy in (("a", "owner"), ("b", "keep")):
        c.execute("insert into finops_cluster (name, source, node_pool_label, user_label, unallocated_policy)"
                  " values (%s, '{\\"openmetrics\\": {\\"path\\": \\"x\\"}}', '', '', %s)", [name, policy])
    c.execute("insert into collection_window (cluster_id, start, \\"end\\", collected_until, dirty)"
              " select id, '2026-10-01 10:00+00', '2026-10-01 11:00+00', '2026-10-01 11:00+00', false from finops_cluster")
"""
NEW = """
from django.db import connection
with connection.cursor() as c:
    c.execute("select name, policy, node_pools, p.start, dirty from finops_cluster c join collection_window w on w.cluster_id = c.id"
              " left join finops_unallocatedpolicy p on p.cluster_id = c.id order by name")
    for row in c.fetchall():
        print(*row)
"""


def test_it_holds_from_the_beginning_and_its_hours_are_made_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    manage(data, "migrate", "finops", "0007", "--verbosity", "0")
    manage(data, "shell", "--verbosity", "0", "--command", OLD)
    manage(data, "migrate", "--verbosity", "0")
    assert manage(data, "shell", "--verbosity", "0", "--command", NEW).splitlines() == ["a owner [] None True", "b None None None False"]
