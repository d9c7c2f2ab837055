"""Collecting a day that is not over: what has not been is not collected."""

from datetime import UTC, datetime, timedelta

from django.core.management import call_command
from django.db import connection

from finops.accounting.calendar import HOUR
from finops.models import Cluster
from finops.queries import costs
from finops.scope import Scope, Window
from tests.fleet import TEN, Fleet


def test_the_running_hour_ends_the_window(db, tmp_path) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    last = round((now - TEN).total_seconds())
    (tmp_path / "fleet.om").write_text("\n".join([*Fleet().node(times=range(last - 4 * 3600, last, 60)).lines, "# EOF\n"]))
    Cluster.objects.create(name="lab", source={"openmetrics": {"path": str(tmp_path / "fleet.om")}}, scrape_interval=60)
    start = now.replace(minute=0) - 2 * HOUR
    call_command("collect", "--start", start.isoformat(), "--end", (start + 24 * HOUR).isoformat())
    answer = costs(Scope(Window(start, start + 24 * HOUR)))
    assert answer.as_of is not None and now - timedelta(minutes=5) < answer.as_of <= now
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from collection_window where start > %s", [now])
        assert cursor.fetchone()[0] == 0
