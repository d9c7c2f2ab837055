"""The workers' part of exports: to make what was ordered, and to delete what has expired."""

from celery import shared_task
from celery.utils.log import get_task_logger

from finops.scope import Refused
from finops.times import now
from reports.exports import orders
from reports.models import ExportOrder

log = get_task_logger(__name__)


@shared_task(time_limit=880)
def make_export(*, order: str, **kwargs: object) -> None:
    """Makes an ordered export; run twice it makes the same file again."""
    found = ExportOrder.objects.select_related("user").filter(pk=order, state__in=("waiting", "running"), expires__gt=now()).first()
    if found is None:
        return
    try:
        orders.make(found)
    except (Refused, OSError) as error:
        ExportOrder.objects.filter(pk=order).update(state="failed", problem=str(error) if isinstance(error, Refused) else "the file cannot be written")
        log.warning(f"export {order}: {error}")
    except Exception:
        ExportOrder.objects.filter(pk=order).update(state="failed", problem="the export failed; the worker's log says why")
        raise


@shared_task(time_limit=60)
def expire_exports(**kwargs: object) -> None:
    """Deletes the files whose time is over."""
    orders.expire(now=now())
