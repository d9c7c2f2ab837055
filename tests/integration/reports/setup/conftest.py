"""An admin, a trial that was answered, and a cluster collected from a real Prometheus."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection

from finops import pipeline, setup
from finops.configuration.specs import PrometheusSpec
from finops.models import Cluster, Trial
from ingest import trial as trials
from ingest.collect import collect
from ingest.open import open_source

START = datetime(2026, 10, 25, tzinfo=UTC)
AT = START + timedelta(hours=2, minutes=2)


@pytest.fixture
def admin(db) -> User:
    return User.objects.create_superuser("ada", password="three-people")


@pytest.fixture
def as_admin(client, admin):
    client.force_login(admin)
    return client


@pytest.fixture
def tried(db, prometheus) -> Trial:
    """Examined two hours into the case whose teams are told by labels."""
    row = setup.ask(PrometheusSpec(prometheus, match={"cluster": "team_by_pod_label"}), by="ada", now=AT)
    trials.run(row.pk, at=AT)
    row.refresh_from_db()
    return row


@pytest.fixture
def collected(tried) -> Cluster:
    """Its first four hours in the ledger: 4 boards, so 16 GPU-h of capacity."""
    cluster = setup.connect(tried, name="eks", by="ada", now=AT)
    hours = [(START + timedelta(hours=n), START + timedelta(hours=n + 1)) for n in range(4)]
    until = hours[-1][1]
    assert collect(cluster, hours, source=open_source(cluster), until=until, settled=until) == []
    assert pipeline.account(cluster) == 4
    connection.check_constraints()  # what a commit checks, so that the hours can be accounted again within the test
    return cluster
