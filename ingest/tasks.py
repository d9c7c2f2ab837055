"""The schedule's work: hints only, PostgreSQL knows what has been done."""

from celery import shared_task
from django.core.management import call_command
from django.db import connection

from finops.models import Cluster


@shared_task(ignore_result=True, time_limit=60)
def plan(**kwargs: object) -> None:
    """One hint per cluster."""
    for name in Cluster.objects.filter(ended_at=None).values_list("name", flat=True):
        catch_up.apply_async(kwargs={"cluster": name}, expires=280)


@shared_task(ignore_result=True, time_limit=900)
def catch_up(*, cluster: str, **kwargs: object) -> None:
    """Collects a cluster from its watermark to now, unless another worker is at it."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(hashtext(%s))", [f"catch up {cluster}"])
        if not cursor.fetchone()[0]:
            return
        try:
            call_command("collect", cluster=cluster)
        finally:
            cursor.execute("select pg_advisory_unlock(hashtext(%s))", [f"catch up {cluster}"])
