"""What an identity provider or a proxy says of a person: kept as it was at the last log-in, and read at every question."""

from collections.abc import Iterable
from datetime import UTC, datetime

from django.contrib.auth.models import AbstractBaseUser

from finops.audit import acting
from reports.models import Identity

MOST_GROUPS, LONGEST = 500, 253


def remember(user: AbstractBaseUser, groups: Iterable[object], *, told_by: str) -> None:
    """The groups of this log-in take the place of the last one's: whoever left a group loses what it granted."""
    named = sorted({str(group) for group in groups if str(group) and len(str(group)) <= LONGEST})[:MOST_GROUPS]
    known = Identity.objects.filter(user=user).first()
    if known is not None and known.groups == named and known.told_by == told_by:
        return
    acting(f"{told_by} log-in of {user.get_username()}")
    Identity.objects.update_or_create(user=user, defaults={"groups": named, "told_by": told_by, "told_at": datetime.now(UTC)})


def listed(claim: object) -> list[object]:
    """A claim of groups: a list, or a text with commas between them."""
    if isinstance(claim, str):
        return [part.strip() for part in claim.split(",")]
    return list(claim) if isinstance(claim, (list, tuple)) else []
