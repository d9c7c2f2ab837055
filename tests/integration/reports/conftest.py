"""Three people: one who sees all, one who leads a team, one from another team."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User

from reports.models import ApiToken, Membership

SOON = timedelta(hours=1)


def member(name: str, team: str, role: str) -> User:
    person = User.objects.create_user(name, password="three-people")
    Membership.objects.create(user=person, team=team, role=role)
    return person


@pytest.fixture
def all_seeing(db) -> User:
    person = User.objects.create_user("frances", password="three-people")
    person.groups.add(Group.objects.create(name="finance"))
    return person


@pytest.fixture
def lead(db) -> User:
    return member("lena", "fraud", "lead")


@pytest.fixture
def other(db) -> User:
    return member("oskar", "vision", "viewer")


@pytest.fixture
def bearer():
    """person → headers of a request with a fresh token."""

    def headers(person: User, *scopes: str, expires: timedelta = SOON) -> dict[str, str]:
        text = ApiToken.issue(person, scopes=list(scopes), expires=datetime.now(UTC) + expires)
        return {"Authorization": f"Bearer {text}"}

    return headers
