"""The app's registration."""

from django.apps import AppConfig


class FinopsConfig(AppConfig):
    name = "finops"
