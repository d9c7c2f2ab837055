"""Every address: pages, log-in, API, health."""

from django.urls import include, path, re_path

from reports.api.costs import Costs
from reports.api.data_quality import DataQuality
from reports.api.export import CostsExport, FocusMetadata
from reports.api.exports import ExportFile, Exports, OneExport
from reports.api.health import healthz, readyz
from reports.api.lists import Clusters, Jobs, Nodes, Teams
from reports.api.rates import Rates
from reports.api.schema import Schema, docs
from reports.api.tokens import Token, Tokens
from reports.api.views import Unknown
from reports.metrics.view import Metrics
from reports.pages.download import download
from reports.pages.overview import overview
from reports.pages.theme import theme

urlpatterns = [
    path("", overview, name="overview"),
    path("download/<slug:table>.csv", download, name="download"),
    path("theme", theme, name="theme"),
    path("setup/", include("reports.pages.setup.urls")),
    path("", include("reports.people.urls")),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("api/v1/costs", Costs.as_view(), name="api-costs"),
    path("api/v1/teams", Teams.as_view(), name="api-teams"),
    path("api/v1/jobs", Jobs.as_view(), name="api-jobs"),
    path("api/v1/clusters", Clusters.as_view(), name="api-clusters"),
    path("api/v1/nodes", Nodes.as_view(), name="api-nodes"),
    path("api/v1/rates", Rates.as_view(), name="api-rates"),
    path("api/v1/tokens", Tokens.as_view(), name="api-tokens"),
    re_path(r"^api/v1/tokens/(?P<prefix>[0-9a-f]{12})$", Token.as_view(), name="api-token"),
    path("api/v1/schema", Schema.as_view(), name="api-schema"),
    path("api/v1/docs", docs, name="api-docs"),
    path("api/v1/data-quality", DataQuality.as_view(), name="api-data-quality"),
    path("api/v1/costs/export", CostsExport.as_view(), name="api-costs-export"),
    path("api/v1/exports", Exports.as_view(), name="api-exports"),
    path("api/v1/exports/<uuid:id>", OneExport.as_view(), name="api-export"),
    path("api/v1/exports/<uuid:id>/file", ExportFile.as_view(), name="api-export-file"),
    path("api/v1/exports/focus/metadata", FocusMetadata.as_view(), name="api-focus-metadata"),
    re_path(r"^api/v1/", Unknown.as_view(), name="api-unknown"),
]
