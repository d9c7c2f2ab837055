"""The addresses of the set-up."""

from django.urls import path

from reports.pages.setup.collecting import clusters, collecting
from reports.pages.setup.prices import prices
from reports.pages.setup.source import source
from reports.pages.setup.teams import teams
from reports.pages.setup.trial import trial

urlpatterns = [
    path("", source, name="setup-source"),
    path("trial/<int:number>", trial, name="setup-trial"),
    path("collecting/", clusters, name="setup-collecting"),
    path("collecting/<path:name>", collecting, name="setup-collecting-one"),
    path("teams", teams, name="setup-teams"),
    path("prices", prices, name="setup-prices"),
]
