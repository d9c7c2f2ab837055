"""Without a token: how the product is doing, and nobody's name."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection

from finops.models import Cluster
from tests.integration.reports.metrics.conftest import NOW

WINDOWS = [  # cluster, hours before NOW, state, dirty, collected and accounted minutes before NOW
    ("lab", 3, "done", False, 100, 90),
    ("lab", 2, "done", True, 50, 40),
    ("lab", 1, "failed", False, None, None),
    ("eks", 3, "done", False, 99, 95),
    ("eks", 2, "missing", False, None, None),
    ("eks", 1, "leased", False, None, None),
    ("gone", 900, "missing", True, None, None),
]


@pytest.fixture
def collected(db):
    """eks reaches to 10:00, lab to 11:00; the cluster that has ended counts nowhere."""
    ended = {"gone": NOW}
    keys = {name: Cluster.objects.create(name=name, source={}, ended_at=ended.get(name)).pk for name in ("lab", "eks", "gone")}
    with connection.cursor() as cursor:
        for name, hours, state, dirty, *minutes in WINDOWS:
            start = NOW - timedelta(hours=hours)
            times = [NOW - timedelta(minutes=m) if m else None for m in minutes]
            cursor.execute(
                """insert into collection_window (cluster_id, start, "end", state, dirty, collected_at, accounted_at)
                   values (%s, %s, %s, %s, %s, %s, %s)""",
                [keys[name], start, start + timedelta(hours=1), state, dirty, *times],
            )


def test_counts_and_instants(scrape, collected):
    """Waiting: eks' last two. Failed and unaccounted: one of lab's each. Last read 50 minutes, last charged 40 minutes before 12:00."""
    found = scrape()
    at_noon = NOW.timestamp()
    assert found["finops_database_up"] == [({}, 1)]
    assert found["finops_clusters"] == [({}, 2)]
    assert found["finops_collection_windows"] == [({"state": "waiting"}, 2), ({"state": "failed"}, 1)]
    assert found["finops_unaccounted_windows"] == [({}, 1)]
    assert found["finops_watermark_timestamp_seconds"] == [({}, at_noon - 2 * 3600)]
    assert found["finops_last_collection_timestamp_seconds"] == [({}, at_noon - 50 * 60)]
    assert found["finops_last_accounting_timestamp_seconds"] == [({}, at_noon - 40 * 60)]
    assert {labels["app"] for labels, value in found["finops_schema_version"] if value >= 3} == {"finops", "reports"}
    assert [labels.keys() for labels, _ in found["finops_build_info"]] == [{"version"}]


def test_nobodys_name(client, collected, one_day_beside):
    text = client.get("/metrics").content.decode()
    assert "finops_clusters" in text
    assert [name for name in ("lab", "eks", "gone", "fraud", "vision", "ledger", "cost") if name in text] == []


@pytest.fixture
def one_day_beside(collected, request):
    Cluster.objects.filter(name="lab").update(name="lab-1")
    request.getfixturevalue("one_day")


def test_what_does_not_exist_is_left_out(scrape, db):
    found = scrape()
    assert found["finops_clusters"] == [({}, 0)]
    assert "finops_watermark_timestamp_seconds" not in found and "finops_last_collection_timestamp_seconds" not in found


def test_a_session_is_no_token(client, all_seeing, one_day):
    client.force_login(all_seeing)
    assert "finops_ledger" not in client.get("/metrics").content.decode()


def test_a_database_that_is_away_is_told(scrape, db, monkeypatch):
    def away(**_):
        raise DatabaseError

    monkeypatch.setattr("reports.metrics.product.health", away)
    found = scrape()
    assert found["finops_database_up"] == [({}, 0)] and set(found) == {"finops_database_up", "finops_build_info"}
