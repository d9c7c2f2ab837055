"""Pages of rows: a cursor names the last row seen, and its place in case that row is gone."""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence

from finops.scope import Refused

MOST = 10_000


def page(rows: Sequence, *, limit: str, cursor: str) -> tuple[Sequence, str | None]:
    """The rows of one page and the cursor of the next, None after the last."""
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


def _cursor(row, place: int) -> str:
    return base64.urlsafe_b64encode(f"{place}.{_mark(row)}".encode()).decode().rstrip("=")


def _start(rows: Sequence, cursor: str) -> int:
    try:
        place, mark = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().split(".")
        at = int(place)
    except (ValueError, binascii.Error):
        at = 0
    if at < 1:
        raise Refused("cursor is not one that an answer's next has given")
    if at <= len(rows) and _mark(rows[at - 1]) == mark:
        return at
    return next((i for i, row in enumerate(rows, 1) if _mark(row) == mark), at)
