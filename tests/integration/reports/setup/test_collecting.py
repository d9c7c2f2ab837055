"""/setup/collecting/: hours by lane, time left, problems with their reason, load."""

from datetime import UTC, datetime, timedelta

from django.db import connection

from finops.collection import progress
from finops.models import Cluster

NOW = datetime(2026, 11, 2, 12, 30, tzinfo=UTC)


def window(cluster: Cluster, hours_ago: int, state: str, *, backfill: bool, problem: str = "", minutes_ago: int | None = None) -> None:
    start = NOW.replace(minute=0) - timedelta(hours=hours_ago)
    at = None if minutes_ago is None else NOW - timedelta(minutes=minutes_ago)
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into collection_window (cluster_id, start, "end", state, backfill, problem, collected_at, questions, source_bytes, source_seconds)
               values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
            [cluster.id, start, start + timedelta(hours=1), state, backfill, problem, at, 5 if at else 0, 2_000_000 if at else 0, 0.5 if at else 0],
        )


def filled() -> Cluster:
    """Newest: 2 done, the running hour partial. Backfill: 4 of 10 done, 2 of them 4 and 2 minutes ago, 2 failed alike."""
    cluster = Cluster.objects.create(name="eks", source={"prometheus": {}})
    window(cluster, 0, "partial", backfill=False, minutes_ago=1)
    window(cluster, 1, "done", backfill=False, minutes_ago=50)
    window(cluster, 2, "done", backfill=False, minutes_ago=110)
    for n, minutes in enumerate((4, 2, 60, 60)):
        window(cluster, 30 + n, "done", backfill=True, minutes_ago=minutes)
    for n in range(2):
        window(cluster, 34 + n, "failed", backfill=True, problem="http://p: no answer within 30 s")
    for n in range(4):
        window(cluster, 36 + n, "missing", backfill=True)
    return cluster


def test_the_lanes_by_hand(db) -> None:
    newest, backfill = progress(filled(), now=NOW).lanes
    assert (newest.total, newest.done, newest.failed, newest.waiting) == (2, 2, 0, 0)  # the running hour is apart
    assert (backfill.total, backfill.done, backfill.failed, backfill.waiting) == (10, 4, 2, 4)
    assert newest.newest == datetime(2026, 11, 2, 12, tzinfo=UTC)
    # Two hours done since 4 minutes ago: the six that are not done take three times as long.
    assert (backfill.lately, backfill.left) == (2, timedelta(minutes=12))
    assert newest.left is None


def test_neighbouring_hours_with_one_reason_are_one_problem(db) -> None:
    (trouble,) = progress(filled(), now=NOW).troubles
    assert (trouble.hours, trouble.state, trouble.problem) == (2, "failed", "http://p: no answer within 30 s")
    assert trouble.end - trouble.start == timedelta(hours=2)


def test_the_load_is_a_mean_of_hours_that_were_asked_for(db) -> None:
    load = progress(filled(), now=NOW).load
    assert (load.windows, load.questions, load.bytes, load.seconds) == (7, 5.0, 2_000_000.0, 0.5)


def test_the_page_tells_it(as_admin, db) -> None:
    filled()
    text = as_admin.get("/setup/collecting/eks").content.decode()
    assert "<b>6 of 13 hours</b> are collected." in text and "no answer within 30 s" in text
    assert "5 questions, 2.00 MB, 0.50 s" in text and 'hx-trigger="every 3s"' in text


def test_a_cluster_without_hours_says_what_may_be_wrong(as_admin, db) -> None:
    Cluster.objects.create(name="new", source={"prometheus": {}})
    text = as_admin.get("/setup/collecting/new").content.decode()
    assert "No hour is planned yet" in text and "manage.py doctor --cluster new" in text


def test_a_first_hour_that_is_not_over_is_told(as_admin, db) -> None:
    cluster = Cluster.objects.create(name="new", source={"prometheus": {}})
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into collection_window (cluster_id, start, "end") values (%s, date_trunc('hour', now()), date_trunc('hour', now()) + '1 h')""",
            [cluster.id],
        )
    assert "The running hour is the first" in as_admin.get("/setup/collecting/new").content.decode()


def test_a_cluster_that_is_not_there(as_admin, db) -> None:
    assert as_admin.get("/setup/collecting/nope").status_code == 404


def test_what_is_complete_polls_no_more(as_admin, collected) -> None:
    text = as_admin.get("/setup/collecting/eks").content.decode()
    assert "<b>4 of 4 hours</b> are collected" in text and "hx-trigger" not in text
