"""An export's rows out of PostgreSQL: as CSV that the server writes, or typed; a piece at a time, all of one moment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction

from finops.scope import Window
from finops.selection import conditions
from reports.exports.charges import statement
from reports.exports.periods import Piece, pieces, within, written
from reports.exports.question import Export

CHUNK = 128 * 1024  # bytes
BATCH = 2000  # rows
HOURS = "from ledger_hour l join holding h on h.cluster_id = l.cluster_id and h.key = l.holding join finops_cluster c on c.id = l.cluster_id"
WITHIN = "l.cluster_id = any(array(select id from finops_cluster)) and l.hour >= %(start)s and l.hour < %(end)s"


def parts(export: Export) -> list[Piece]:
    """The pieces to read, those before the ledger begins and after it ends left out."""
    window = _filled(export.scope.window)
    return list(pieces(window, grain=export.grain, zone=export.zone)) if window else []


def as_csv(export: Export, parts: Sequence[Piece]) -> Iterator[bytes]:
    """The rows of the pieces, without the line of names, in chunks; an empty one ends a piece."""
    with _one_moment():
        for piece in parts:
            yield from _copied(export, piece)
            yield b""


def as_records(export: Export, parts: Sequence[Piece]) -> Iterator[list[tuple]]:
    """The same rows in batches; an empty one ends a piece."""
    with _one_moment():
        for piece in parts:
            sql, params = _statement(export, piece)
            with connection.chunked_cursor() as cursor:
                cursor.execute(sql, params)
                while rows := cursor.fetchmany(BATCH):
                    yield rows
            yield []


def lines(export: Export, *, most: int) -> int:
    """How many lines of the ledger the export reads, counted up to `most` + 1."""
    start, end = export.scope.window.start, export.scope.window.end
    params: dict[str, object] = {"start": start, "end": end, "most": most + 1}
    where = f"where {WITHIN} {conditions(export.scope, params)}"
    with connection.cursor() as cursor:
        cursor.execute(f"select count(*) from (select 1 {HOURS} {where} limit %(most)s) n", params)
        return int(cursor.fetchone()[0])


def unpriced(export: Export) -> str:
    """GPU-hours of the export that have no price, plain digits."""
    params: dict[str, object] = {"start": export.scope.window.start, "end": export.scope.window.end}
    where = f"where l.price is null and {WITHIN} {conditions(export.scope, params)}"
    with connection.cursor() as cursor:
        cursor.execute(f"select trim_scale(coalesce(sum(l.capacity), 0))::text {HOURS} {where}", params)
        return str(cursor.fetchone()[0])


def _filled(window: Window) -> Window | None:
    with connection.cursor() as cursor:
        bounds = []
        for order in ("asc", "desc"):
            cursor.execute(
                f"""select b.hour from finops_cluster c cross join lateral
                    (select hour from ledger_hour where cluster_id = c.id order by hour {order} limit 1) b order by 1 {order} limit 1"""
            )
            bounds.append(cursor.fetchone())
    first, last = (bound[0] if bound else None for bound in bounds)
    return within(window, first=first, last=last) if isinstance(first, datetime) else None


def _copied(export: Export, piece: Piece) -> Iterator[bytes]:
    sql, params = _statement(export, piece)
    pending, size = [], 0
    # The driver's own cursor: Django's, with DEBUG on, knows no COPY with parameters.
    with connection.connection.cursor() as cursor, cursor.copy(f"copy ({sql}) to stdout (format csv)", params) as copy:
        for row in copy:
            pending.append(row)
            size += len(row)
            if size >= CHUNK:
                yield b"".join(pending)
                pending, size = [], 0
    if pending:
        yield b"".join(pending)


def _statement(export: Export, piece: Piece) -> tuple[str, dict[str, object]]:
    sql, params = statement(export.scope, piece, export.shape, columns=[column.sql for column in export.columns])
    params |= {"billing_start": written(piece.billing.start), "billing_end": written(piece.billing.end)}
    return f"{sql} where c.price is not null or c.quantity is null" if export.version else sql, params


@contextmanager
def _one_moment() -> Iterator[None]:
    """Every piece sees the ledger as it is at the first: what is accounted meanwhile would not add up with the rest."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("set transaction isolation level repeatable read read only")
            cursor.execute("set local work_mem = '64MB'")  # a day's lines stay in memory, with the default they go through a file
            cursor.execute("set local jit = off")  # it would compile every piece anew
        yield
