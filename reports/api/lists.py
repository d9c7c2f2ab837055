"""GET /api/v1/teams, /jobs, /clusters, /nodes: what a window knows of each, with its figures.

Every list is one of lines that its reader may see: who sees own teams finds these, their jobs, and the clusters and nodes their
pods were on, each with the figures of their own pods alone. Who sees all finds every cluster that is configured, and nodes with
the capacity nobody held.
"""

from collections.abc import Sequence
from dataclasses import replace

from drf_spectacular.utils import extend_schema, extend_schema_view

from finops import queries
from finops.names import names_of
from finops.queries import Row
from finops.scope import Scope
from reports.api import bounds, described
from reports.api.paging import page
from reports.api.views import Read


class Listing(Read):
    """`keys`: the group keys that make an entry; `names`: column → name under which an entry lists its values; `real`: the key
    without which a line belongs to no entry.
    """

    window = "7d"
    keys: tuple[str, ...]
    names: dict[str, str]
    real = ""

    def answer(self, asked: Scope, request) -> dict[str, object]:
        excludes = {**asked.excludes, self.real: (*asked.excludes.get(self.real, ()), "")} if self.real else asked.excludes
        asked = replace(asked, group_by=self.keys, excludes=excludes)
        found = bounds.rows_bounded(queries.rows_of(asked, most=bounds.MOST_ROWS + 1))
        limit, cursor = (request.query_params.get(name, "") for name in ("limit", "cursor"))
        rows, following = page(self.entries(found, asked), limit=limit, cursor=cursor)
        told = names_of(asked, columns=tuple(self.names)) if rows else {}
        setting, as_of = queries.setting(), queries.watermark(asked)
        return {
            "rows": [self.entry(row, told.get(tuple(row.keys.values()), ())) for row in rows],
            "next": following,
            "as_of": as_of.astimezone(queries.zone_of(setting)).isoformat() if as_of else None,
            "currency": setting.currency,
        }

    def entries(self, found: list[Row], asked: Scope) -> list[Row]:
        return found

    def entry(self, row: Row, told: Sequence[Sequence[str]]) -> dict[str, object]:
        lists = told or [[] for _ in self.names]
        return {**row.keys, **dict(zip(self.names.values(), lists, strict=True)), **row.as_json()}


@extend_schema_view(get=extend_schema(**described.TEAMS))
class Teams(Listing):
    keys = ("team",)
    names = {"department": "departments", "cost_center": "cost_centers", "namespace": "namespaces", "cluster": "clusters"}


@extend_schema_view(get=extend_schema(**described.JOBS))
class Jobs(Listing):
    keys = ("cluster", "namespace", "job_kind", "job")
    names = {"team": "teams", "user": "users", "node_pool": "node_pools", "gpu_model": "gpu_models"}
    real = "job"


@extend_schema_view(get=extend_schema(**described.NODES))
class Nodes(Listing):
    keys = ("cluster", "node")
    names = {"node_pool": "node_pools", "instance_type": "instance_types", "gpu_model": "gpu_models", "capacity_type": "capacity_types"}
    real = "node"


@extend_schema_view(get=extend_schema(**described.CLUSTERS))
class Clusters(Listing):
    keys = ("cluster",)
    names = {"node_pool": "node_pools", "gpu_model": "gpu_models", "capacity_type": "capacity_types"}

    def entries(self, found: list[Row], asked: Scope) -> list[Row]:
        """Who asks for all, and may see all, finds those without a line as well."""
        if asked.teams is not None or set(asked.filters) - {"cluster"} or asked.excludes:
            return found
        there, wanted = {row.keys["cluster"] for row in found}, asked.filters.get("cluster")
        missing = [name for name in queries.cluster_names() if name not in there and (not wanted or name in wanted)]
        return found + [queries.nothing(queries.currency(), keys={"cluster": name}) for name in missing]

    def entry(self, row: Row, told: Sequence[Sequence[str]]) -> dict[str, object]:
        return super().entry(row, told) | queries.reach(row.keys["cluster"])
