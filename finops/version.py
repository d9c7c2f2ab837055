"""Whether an answer about a window may have changed, told without reading the ledger."""

from datetime import datetime

from django.db import connection

from finops.scope import Window

# Whoever changes hours of the ledger changes their window's row in the same transaction, and every change gives a row the number
# of its transaction. The numbers' sum therefore changes with what is visible, in whatever order transactions end; the latest
# `accounted_at` would not, where the one that began first ends last.
SEEN = """
select concat_ws('.', w.n, w.x, (select concat_ws('.', count(*), sum(xmin::text::bigint)) from finops_setting),
        (select concat_ws('.', count(*), sum(xmin::text::bigint)) from finops_cluster),
        (select concat_ws('.', count(*), sum(xmin::text::bigint)) from finops_rate)), w.latest
from (select count(*) as n, sum(xmin::text::bigint) as x, max(accounted_at) as latest
      from collection_window where start < %(end)s and "end" > %(start)s) w
"""


def version(window: Window) -> tuple[str, datetime | None]:
    """A text that is another one after any change of the window's hours, of clusters, rates or settings; and when the hours
    were last accounted.
    """
    with connection.cursor() as cursor:
        cursor.execute(SEEN, {"start": window.start, "end": window.end})
        return cursor.fetchone()
