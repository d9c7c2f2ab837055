"""Three people: one who sees all, one who leads a team, one from another team."""

import uuid
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection

from finops.models import Cluster
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


# team, job, used, idle, unallocated GPU-h, and their money: 10 h at 2.00, 5 h at 1.50, 9 h at 2.00.
DAY = [
    ("fraud", "velocity", 4, 6, 0, "8", "12", "0"),
    ("vision", "defects", 5, 0, 0, "7.5", "0", "0"),
    ("unallocated", "", 0, 0, 9, "0", "0", "18"),
]
HOLDING = (
    "cluster_id key team department cost_center namespace job_kind job run pod uid "
    '"user" node node_pool instance_type gpu_model capacity_type queue labels'
).split()


@pytest.fixture
def one_day(db) -> None:
    """A day of one node of one GPU in the ledger, 16 November 2026: 24 GPU-h, 45.50."""
    cluster = Cluster.objects.create(name="lab", source={}).pk
    with connection.cursor() as cursor:
        cursor.execute("select ensure_month('2026-11-01')")
        for team, job, *figures in DAY:
            _insert(cursor, cluster, team, job, figures)


def _insert(cursor, cluster: int, team: str, job: str, figures: list) -> None:
    key = uuid.uuid4()
    named = {"cluster_id": cluster, "key": key, "team": team, "job": job, "labels": "{}"}
    named |= {"namespace": team, "job_kind": "Job"} if job else {}
    cursor.execute(
        f"insert into holding ({', '.join(HOLDING)}) values ({', '.join(['%s'] * len(HOLDING))})",
        [named.get(column, "") for column in HOLDING],
    )
    used, idle, free, *money = figures
    cursor.execute(
        "insert into ledger_day values (%s, '2026-11-16', %s, %s, %s, %s, 0, 0, %s, %s, %s, %s, %s, 0, 0, %s, 0, %s, %s, 0)",
        [
            cluster,
            key,
            used + idle,
            used,
            idle,
            free,
            used + idle + free,
            sum(map(Decimal, money)),
            *money,
            used + idle,
            used,
        ],
    )
