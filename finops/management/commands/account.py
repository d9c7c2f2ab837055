"""manage.py account [--cluster C] --start T --end T [--processes N]"""

import time

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError

from finops import queries, recompute
from finops.accounting.runs import lines
from finops.models import Cluster
from finops.processes import cores
from finops.recompute import Away, Order, Sum
from finops.scope import Refused, Window
from finops.times import window

AGAIN = "what is done stays done: the same command goes on with the rest"


class Command(BaseCommand):
    help = "Recomputes the ledger of a window from stored facts. Stopped at any point, the same command goes on with what is still due."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--cluster", help="default: all of them")
        parser.add_argument("--start", required=True, help="an hour, ISO 8601, like 2026-11-01 or 2026-11-01T14:00; local time where no offset stands")
        parser.add_argument("--end", required=True, help="an hour, exclusive")
        parser.add_argument("--processes", type=int, default=cores(), help="default: as many as there are cores")

    def handle(self, *args, cluster, start, end, processes, **options) -> None:
        if processes < 1:
            raise CommandError("--processes: at least 1", returncode=2)
        span, clusters = self._asked(cluster, start, end)
        began = time.perf_counter()
        orders = recompute.ordered(clusters, span)
        for order in orders:
            if order.since:
                self.stdout.write(_resumed(order))
        found = self._run(orders, processes)
        if not found.failed:
            recompute.close(orders)
        self.stdout.write(_summary(found, sum(len(day.hours) for order in orders for day in order.due), time.perf_counter() - began))
        if found.failed:
            raise CommandError("\n".join(lines(found.failed)))

    def _asked(self, cluster: str | None, start: str, end: str) -> tuple[Window, list[Cluster]]:
        try:
            span = window(start, end, zone=queries.zone())
        except Refused as error:
            raise CommandError(str(error), returncode=2) from error
        clusters = list(Cluster.objects.filter(**({"name": cluster} if cluster else {})).order_by("id"))
        if cluster and not clusters:
            raise CommandError(f"no cluster {cluster}", returncode=2)
        return span, clusters

    def _run(self, orders: list[Order], processes: int) -> Sum:
        days = [day for order in orders for day in order.due]
        whole, began = sum(len(day.hours) for day in days), time.perf_counter()
        terminal = self.stderr.isatty()

        def progress(found: Sum) -> None:
            if terminal:
                self.stderr.write("\r" + bar(found, whole, time.perf_counter() - began), str, ending="\n" if found.seen == whole else "")  # str: not in an error's red

        try:
            return recompute.run(days, processes=processes, progress=progress)
        except (Away, OperationalError, InterfaceError) as error:
            raise CommandError(f"the database went away: {str(error).splitlines()[0]}; {AGAIN}") from error
        except KeyboardInterrupt:
            raise CommandError(f"interrupted; {AGAIN}", returncode=130) from None


def bar(found: Sum, whole: int, seconds: float) -> str:
    """The progress as one line of a terminal, as long as its predecessor."""
    done = 30 * found.seen // whole
    left = seconds * (whole - found.seen) / found.seen
    text = f"[{'#' * done}{'.' * (30 - done)}] {found.seen} of {whole} hours, {float(found.gpu_hours) / seconds:,.0f} hours × GPUs per second"
    return f"{text}, {f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'} left".ljust(110)


def _resumed(order: Order) -> str:
    due = sum(len(day.hours) for day in order.due)
    return f"cluster {order.cluster.name}: goes on with the order of {order.since:%Y-%m-%d %H:%M} UTC, {due} of {order.hours} hours are due still"


def _summary(found: Sum, due: int, seconds: float) -> str:
    others = due - found.hours - len(found.failed)
    text = f"{found.hours} hours accounted{f', {others} by others' if others else ''}"
    return f"{text}; {found.gpu_hours:.0f} hours × GPUs in {seconds:.1f} s, {float(found.gpu_hours) / seconds:.0f} per second"
