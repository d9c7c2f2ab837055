"""Celery as it runs in production, with a clock of its own and short pauses: `celery -A tests.integration.faults.worker …`.

FAULTS, of these tests alone: {"now": …, "since": …, "constants": …, "hooks": …, "transport": …} as JSON.
"""

import functools
import json
import os

import django

django.setup()

from finops.celery import app  # noqa: E402
from ingest import tasks  # noqa: E402
from tests.integration.faults import hooks, process  # noqa: E402

asked = json.loads(os.environ["FAULTS"])
process.shorten(asked["constants"])
hooks.install(asked["hooks"])
tasks.catch_up = functools.partial(tasks.catch_up, clock=process.clock_from(asked["now"], since=asked["since"]))
app.conf.beat_schedule = {"plan": {"task": "ingest.tasks.plan", "schedule": 1.0, "options": {"expires": 5}}}
app.conf.broker_transport_options = {"visibility_timeout": 3600, "socket_timeout": 2, "health_check_interval": 1} | asked["transport"]
