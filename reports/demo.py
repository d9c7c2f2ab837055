"""The demo company's log-ins: their passwords are known to all, so they work with DEBUG on and never without."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser

from reports.access import groups_of

GROUP = "demo"


@dataclass(frozen=True, slots=True)
class Account:
    """`group`: one that sees all; `leads`: the team this person leads."""

    username: str
    password: str
    role: str
    group: str = ""
    leads: str = ""


ACCOUNTS = (
    Account("finance", "finance-of-demo", "sees every team", group="finance"),
    Account("fraud-lead", "fraud-lead-of-demo", "leads team fraud, sees it alone", leads="fraud"),
    Account("engineer", "engineer-of-demo", "runs the platform: sees every team, sets up clusters and prices", group="admin"),
)


def refused(user: AbstractBaseUser) -> bool:
    """Whether this is a demo account where none may be."""
    return not settings.DEBUG and GROUP in groups_of(user)
