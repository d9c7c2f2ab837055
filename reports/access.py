"""Who may see what: applied once, in front of the query layer."""

from dataclasses import replace

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from finops.scope import Scope
from reports.models import Grant, Identity, Membership

SEES_ALL = ("finance", "engineer", "admin")


def teams_of(user: AbstractBaseUser | AnonymousUser) -> frozenset[str] | None:
    """The teams this person may see; None for all of them, empty for none."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    if sees_all(user):
        return None
    own = Membership.objects.filter(user=user).values_list("team", flat=True)
    return frozenset(own) | {grant.team for grant in grants_of(user) if grant.team}


def sees_all(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this person may see every team and cluster."""
    return bool(user.is_active and (user.is_superuser or not groups_of(user).isdisjoint(SEES_ALL)))


def is_admin(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this person may change the configuration."""
    return bool(user.is_active and (user.is_superuser or "admin" in groups_of(user)))


def grants_of(user: AbstractBaseUser | AnonymousUser) -> list[Grant]:
    """What the person's groups at the identity provider grant, as it named them at the last log-in."""
    told = Identity.objects.filter(user=user).values_list("groups", flat=True).first() if user.pk else None
    return list(Grant.objects.filter(group__in=told)) if told else []


def groups_of(user: AbstractBaseUser | AnonymousUser) -> frozenset[str]:
    """The person's roles that see all, own and granted, asked once per request: every request has a person object of its own."""
    found: frozenset[str] | None = getattr(user, "group_names", None)
    if found is None:
        found = frozenset(user.groups.values_list("name", flat=True)) | {grant.role for grant in grants_of(user) if not grant.team}
        setattr(user, "group_names", found)  # noqa: B010  through the lazy object in front of it
    return found


def narrow(scope: Scope, *, user: AbstractBaseUser | AnonymousUser) -> Scope:
    """The same question, of what this person may see; a scope never grows wider by it."""
    teams = teams_of(user)
    if teams is None:
        return scope
    return replace(scope, teams=teams if scope.teams is None else teams & scope.teams)
