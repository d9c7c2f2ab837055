"""Pages of rows: a cursor names the last row seen and where it stood, in case that row is gone."""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from finops.scope import Refused

MOST = 10_000


def page(rows: Sequence, *, limit: str, cursor: str) -> tuple[Sequence, str | None]:
    """The rows of one page and the cursor of the next, None after the last.

    Each row has `keys` and `period_start`; rows of costs, which stand in order of period and cost, also `sums`. The next page
    begins behind the last row seen, wherever that stands now. Where it is gone, behind all that stand before it by period and
    cost: a row may come twice then, none is left out for it.
    """
    size = _size(limit)
    start = _start(rows, cursor) if cursor else 0
    end = start + size
    return rows[start:end], _cursor(rows[end - 1], end) if end < len(rows) else None


def _size(text: str) -> int:
    if not text:
        return MOST
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST or len(text) > 9:
        raise Refused(f"limit {text!r} is not a whole number from 1 to {MOST}")
    return int(text)


def _mark(row) -> str:
    name = [row.period_start.isoformat() if row.period_start else "", sorted(row.keys.items())]
    return hashlib.sha256(json.dumps(name).encode()).hexdigest()[:16]


def _stands(row) -> tuple[str, str]:
    """Period and cost, as text; empty where there is none."""
    cost = getattr(row, "sums", {}).get("cost")
    return (row.period_start.isoformat() if row.period_start else "", "" if cost is None else str(cost))


def _cursor(row, place: int) -> str:
    text = json.dumps([place, _mark(row), *_stands(row)])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _start(rows: Sequence, cursor: str) -> int:
    place, mark, *stood = _read(cursor)
    if place <= len(rows) and _mark(rows[place - 1]) == mark:
        return place
    at = next((i for i, row in enumerate(rows, 1) if _mark(row) == mark), None)
    if at is not None:
        return at
    if not rows or not hasattr(rows[0], "sums"):
        return place - 1
    gone = _order(*stood)
    return next((i for i, row in enumerate(rows) if _order(*_stands(row)) >= gone), len(rows))


def _order(period: str, cost: str) -> tuple[str, bool, Decimal]:
    """As the query layer orders: by period, cost falling, what has no price last."""
    return period, not cost, -Decimal(cost or 0)


def _read(cursor: str) -> tuple[int, str, str, str]:
    try:
        place, mark, period, cost = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        right = type(place) is int and 1 <= place <= 10**9 and all(isinstance(part, str) for part in (mark, period, cost))
        right = right and Decimal(cost or 0).is_finite()
    except (ValueError, TypeError, RecursionError, InvalidOperation, binascii.Error):
        right = False
    if not right:
        raise Refused("cursor is not one that an answer's next has given")
    return place, mark, period, cost
