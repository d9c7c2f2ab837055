"""Ordered exports: their files in the data folder, their signed links, and who may fetch them still."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core import signing
from django.core.cache import cache

from finops import queries
from finops.scope import Refused
from reports.access import narrow, teams_of
from reports.exports import files
from reports.exports.question import Export, export_from
from reports.models import ExportOrder

SALT = "reports.exports"
PATIENCE = 3600  # seconds that a worker's word is kept
MOST_OPEN = 3  # of one person, waiting or running


def place_of(order: ExportOrder) -> Path:
    """The file's place; its folder exists."""
    return _folder() / str(order.pk)


def ordered(user: AbstractBaseUser, words: Mapping[str, Sequence[str]], export: Export, *, now: datetime) -> ExportOrder:
    """The order, once the person has not too many. `export`: what the words ask for, checked."""
    if ExportOrder.objects.filter(user=user, state__in=("waiting", "running"), expires__gt=now).count() >= MOST_OPEN:
        raise Refused(f"{MOST_OPEN} of your exports are still being made; wait for one of them")
    teams = teams_of(user)
    return ExportOrder.objects.create(
        user=user, words=dict(words), teams=None if teams is None else sorted(teams), name=files.name_of(export),
        ordered=now, expires=now + ExportOrder.KEPT,
    )  # fmt: skip


def export_of(order: ExportOrder) -> Export:
    """What is made: the words as they were meant when they were ordered, of what the person may see now."""
    export = export_from(order.words, zone=queries.zone(), now=order.ordered, currency=queries.currency(), week_starts=queries.setting().week_starts)
    return replace(export, scope=narrow(export.scope, user=order.user))


def make(order: ExportOrder) -> None:
    """Writes the file and tells how far it is. Raises Refused."""
    rows, teams = ExportOrder.objects.filter(pk=order.pk), teams_of(order.user)
    rows.update(state="running", teams=None if teams is None else sorted(teams))
    export = export_of(order)
    written = files.write(export, place_of(order), progress=lambda done, of: cache.set(_key(order), (done, of), PATIENCE))
    left_out = str(files.metadata(export)["x_UnpricedGpuHours"]) if export.version else ""
    rows.update(state="done", rows=written.rows, size=written.size, left_out=left_out)


def progress(order: ExportOrder) -> float:
    """The share that is made. The cache has it: the database is busy with one moment's reading until the file is whole."""
    done, of = cache.get(_key(order)) or (0, 0)
    return 1.0 if order.state == "done" else round(done / of, 3) if of else 0.0


def _key(order: ExportOrder) -> str:
    return f"export-{order.pk}"


def signature(order: ExportOrder) -> str:
    """What the link carries: of this file, for this person."""
    return signing.dumps([str(order.pk), order.user_id], salt=SALT)


def may_fetch(order: ExportOrder, user: AbstractBaseUser | AnonymousUser, signed: str, *, now: datetime) -> bool:
    """Whether the link is this person's, has not expired, and the person still sees all that the file tells."""
    try:
        named = signing.loads(signed, salt=SALT, max_age=ExportOrder.KEPT)
    except signing.BadSignature:
        return False
    teams = teams_of(user)
    sees = teams is None or (order.teams is not None and set(order.teams) <= teams)
    return named == [str(order.pk), user.pk] and now < order.expires and sees


def expire(*, now: datetime) -> int:
    """Deletes what has expired, and files whose order is gone with its person; the number of orders."""
    gone = list(ExportOrder.objects.filter(expires__lte=now))
    for order in gone:
        place_of(order).unlink(missing_ok=True)
        order.delete()
    known = {str(pk) for pk in ExportOrder.objects.values_list("pk", flat=True)}
    old = (now - ExportOrder.KEPT).timestamp()
    for path in _folder().iterdir():
        if path.name not in known and path.stat().st_mtime < old:
            path.unlink(missing_ok=True)
    return len(gone)


def _folder() -> Path:
    folder: Path = settings.DATA_DIR / "exports"
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    return folder
