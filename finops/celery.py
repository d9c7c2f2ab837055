"""The Celery app and the whole schedule: one planner, fixed intervals, tasks by name."""

import os

from celery import Celery
from celery.signals import beat_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
app = Celery("finops")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "plan": {"task": "ingest.tasks.plan", "schedule": 300.0, "options": {"expires": 240}},
    "scrape": {"task": "ingest.tasks.scrape", "schedule": 60.0, "options": {"expires": 50}},
    "exports": {"task": "reports.tasks.expire_exports", "schedule": 900.0, "options": {"expires": 600}},
}


@beat_init.connect
def plan_at_once(**kwargs: object) -> None:
    """A new schedule first comes due after a whole interval; a cluster that the start brought shall not wait for it."""
    app.send_task("ingest.tasks.plan", expires=240, retry=False)
