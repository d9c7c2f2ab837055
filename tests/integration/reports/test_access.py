"""Who sees what: the scope is narrowed once, in front of every way out."""

from datetime import UTC, datetime

from django.contrib.auth.models import AnonymousUser, User

from finops.scope import Scope, Window
from reports.access import narrow

SCOPE = Scope(window=Window(datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC)))


def test_finance_sees_all(all_seeing):
    assert narrow(SCOPE, user=all_seeing).teams is None


def test_a_team_sees_itself(lead, other):
    assert narrow(SCOPE, user=lead).teams == {"fraud"}
    assert narrow(SCOPE, user=other).teams == {"vision"}


def test_without_a_team_nothing(db):
    assert narrow(SCOPE, user=User.objects.create_user("nora")).teams == frozenset()
    assert narrow(SCOPE, user=AnonymousUser()).teams == frozenset()


def test_a_narrowed_scope_never_widens(lead):
    narrowed = Scope(window=SCOPE.window, teams=frozenset({"vision"}))
    assert narrow(narrowed, user=lead).teams == frozenset()
