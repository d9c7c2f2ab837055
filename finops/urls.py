"""Addresses: the guests bring their own."""

from django.urls import include, path

handler500 = "reports.api.problems.unexpected"
urlpatterns = [path("", include("reports.urls"))]
