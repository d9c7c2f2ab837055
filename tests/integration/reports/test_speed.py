"""The overview of 60 GPUs with 70 days behind them: a fixed number of queries, and quick."""

import time
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.integration.reports.company import open_company

QUERIES = 21
SECONDS = 0.150
TRIES = 40
ADDRESSES = ["/", "/?window=30d", "/?window=mtd", "/?team=fraud", "/?by=job&window=30d", "/?window=lastmonth&by=node_pool"]


@pytest.fixture
def company(db):
    return open_company(datetime.now(UTC))


def test_every_address_is_quick_with_few_queries(client, company, all_seeing):
    assert_size()
    client.force_login(all_seeing)
    client.get("/")  # imports and templates, once for a process
    took = {}
    for address in ADDRESSES:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        assert len(queries) == QUERIES, (address, [query["sql"][:120] for query in queries])
        took[address] = best(client, address)
    print({address: f"{1000 * seconds:.0f} ms" for address, seconds in took.items()})
    assert max(took.values()) < SECONDS, took


def best(client, address: str) -> float:
    """The least disturbed of some tries: what the page needs, not what else the machine was doing."""
    least = seconds(client, address)
    for _ in range(TRIES):
        if least < SECONDS / 2:
            break
        least = min(least, seconds(client, address))
    return least


def seconds(client, address: str) -> float:
    began = time.perf_counter()
    client.get(address)
    return time.perf_counter() - began


def assert_size() -> None:
    """A test of speed on an empty ledger would prove nothing."""
    with connection.cursor() as cursor:
        cursor.execute("select count(*), count(distinct hour) from ledger_hour")
        lines, hours = cursor.fetchone()
    assert hours >= 70 * 24 - 1
    assert 70 <= lines / hours <= 90
