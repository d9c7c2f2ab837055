"""The app's registration."""

import sys
from pathlib import Path

from django.apps import AppConfig
from django.db.backends.signals import connection_created

OPERATED = ("manage.py", "prepare.py", "celery")  # programs whose connections are whoever runs them; pages name their reader


class FinopsConfig(AppConfig):
    name = "finops"

    def ready(self) -> None:
        """Shared tasks belong to our Celery app; loaded here so that `finops` itself stays empty."""
        from finops import audit, celery  # noqa: F401

        if Path(sys.argv[0]).name in OPERATED:
            connection_created.connect(audit.name_operator, dispatch_uid="audit")
