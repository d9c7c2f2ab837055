"""Work for the worker: named, never imported."""

from celery import current_app as app
from django.db import transaction
from kombu.exceptions import OperationalError

from finops import setup

EXAMINE, PLAN = "ingest.tasks.examine", "ingest.tasks.plan"
UNREACHABLE = "the broker that hands work to the worker cannot be reached; start it, or set REDIS_URL to where it is"


def examine(trial: setup.Trial) -> None:
    """Has the trial examined once its row is there to be found."""

    def send() -> None:
        if not _sent(EXAMINE, trial=trial.pk):
            setup.unheard(trial, UNREACHABLE)

    transaction.on_commit(send)


def plan() -> None:
    """Has hours planned, collected and accounted at once instead of at the schedule's next turn, which comes anyway."""
    transaction.on_commit(lambda: _sent(PLAN))


def _sent(name: str, **kwargs: object) -> bool:
    try:
        app.send_task(name, kwargs=kwargs, retry=False)
    except OperationalError:
        return False
    return True
