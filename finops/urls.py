"""Addresses: the guests bring their own."""

from django.urls import include, path

urlpatterns = [path("", include("reports.urls"))]
