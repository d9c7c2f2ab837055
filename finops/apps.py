"""The app's registration."""

from django.apps import AppConfig


class FinopsConfig(AppConfig):
    name = "finops"

    def ready(self) -> None:
        """Shared tasks belong to our Celery app; loaded here so that `finops` itself stays empty."""
        from finops import celery  # noqa: F401
