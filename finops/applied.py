"""The file applied at each start: whether it changed, and what was edited elsewhere meanwhile."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import connection, transaction

from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.merge import MERGED, merge
from finops.configuration.schema import Invalid, parse
from finops.configuration.specs import Configuration
from finops.export import configuration
from finops.models import AppliedFile


class Contradiction(Exception):
    """The file and the edits to be kept do not go together; the message is one line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`since` is set where the file is what was applied then, and nothing was done."""

    changes: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    since: datetime | None = None


@transaction.atomic
def apply_file(text: str, *, path: str, now: datetime) -> list[str]:
    """Applies the file as a whole, edits made elsewhere or not. Raises Invalid."""
    changes = apply(parse(text), now=now)
    _remember(text, path=path, now=now)
    return changes


@transaction.atomic
def apply_if_changed(text: str, *, path: str, now: datetime) -> Outcome:
    """Applies the file if its text is not what was last applied from `path`. Raises Invalid, Contradiction.

    Entries edited since then stay as they are; the first application keeps nothing. Why so: docs/decisions/0004.
    """
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtext('configuration file'))")
    last = AppliedFile.objects.filter(path=path).first()
    if last and last.content == text:
        return Outcome(since=last.applied_at)
    wanted, current = parse(text), parse(dump(configuration(now=now)))
    base = _meant(last) if last else current
    found = merge(wanted, base=base, current=current, now=now)
    _hold_together(found.configuration)
    changes = apply(found.configuration, now=now)
    _remember(text, path=path, now=now)
    return Outcome(tuple(changes), found.kept)


def _hold_together(mixture: Configuration) -> None:
    """File and edits may each be right and still contradict one another, as two prices for the same hours do."""
    try:
        parse(dump(replace(mixture, budgets=None, alerts=None, reports=None)))
    except Invalid as error:
        problem = error.errors[0]
        raise Contradiction(f"edits made since the last application contradict it: {problem.path}: {problem.message}") from error


def _meant(last: AppliedFile) -> Configuration:
    """What the last application meant: the file's sections as the file had them, the others as the database did."""
    state, file = parse(last.state), parse(last.content)
    return replace(state, **{name: section for name in MERGED if (section := getattr(file, name)) is not None})


def _remember(text: str, *, path: str, now: datetime) -> None:
    state = dump(configuration(now=now))
    AppliedFile.objects.update_or_create(path=path, defaults={"content": text, "state": state, "applied_at": now})
