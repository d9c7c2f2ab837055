"""The Celery app and the whole schedule: one planner, fixed intervals, tasks by name."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
app = Celery("finops")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "plan": {"task": "ingest.tasks.plan", "schedule": 300.0, "options": {"expires": 240}},
    "scrape": {"task": "ingest.tasks.scrape", "schedule": 60.0, "options": {"expires": 50}},
}
