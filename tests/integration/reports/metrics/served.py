"""A live server over a committed ledger, emptied afterwards: servers of their own threads and processes read it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db import connection
from pytest_django.live_server_helper import LiveServer

from finops.models import Cluster, Setting
from reports.models import ApiToken, TeamColour

FILLED = "ledger_hour, ledger_day, holding, collection_window, finding"


@contextmanager
def serving(blocker, *, scopes: list[str], fill) -> Iterator[tuple[str, str]]:
    """The server's address and a token of one who sees all; `fill` makes the ledger."""
    with blocker.unblock():
        assert connection.settings_dict["NAME"].startswith("test_"), "only a test database may be filled and emptied"
        cache.clear()
        server = LiveServer("localhost")
        try:
            frances = User.objects.create_user("frances")
            frances.groups.add(Group.objects.get_or_create(name="finance")[0])
            fill()
            yield server.url, ApiToken.issue(frances, scopes=scopes, expires=datetime.now(UTC) + timedelta(hours=1))
        finally:
            server.stop()
            _empty()


def _empty() -> None:
    for model in (ApiToken, TeamColour, Cluster, Setting, User, Group):
        model.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(f"truncate {FILLED}")
