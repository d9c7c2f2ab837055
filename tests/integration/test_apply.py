"""Applying a configuration: once, again, and what it makes of hours already accounted."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from finops.apply import apply
from finops.configuration.schema import parse
from finops.models import Cluster, Rate

NOW = datetime(2026, 11, 1, tzinfo=UTC)
TEXT = """currency: CHF
clusters:
  - {name: a, source: {prometheus: {url: "http://127.0.0.1:9"}}}
rates:
  - {gpu_model: T4, price: "0.60", currency: CHF}
"""


@pytest.fixture
def applied(db):
    apply(parse(TEXT), now=NOW)


def dirty() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select dirty from collection_window")
        return cursor.fetchone()[0]


@pytest.fixture
def accounted_hour(applied):
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into collection_window (cluster_id, start, "end", collected_until, dirty)
               values (%s, '2026-10-01 10:00+00', '2026-10-01 11:00+00', '2026-10-01 11:00+00', false)""",
            [Cluster.objects.get().id],
        )


def test_a_second_run_changes_nothing(applied) -> None:
    assert apply(parse(TEXT), now=NOW) == []


def test_a_dry_run_says_what_it_would_change_and_does_not(applied) -> None:
    changes = apply(parse(TEXT.replace('"0.60"', '"0.70"')), now=NOW, dry_run=True)
    assert changes == ["rate T4 0.70 CHF: added", "rate T4 0.6000000000 CHF: ended"]
    assert [str(rate.price) for rate in Rate.objects.all()] == ["0.6000000000"]


def test_what_is_gone_from_the_file_ends_and_stays(applied) -> None:
    apply(parse("clusters: []\nrates: []\n"), now=NOW)
    assert Cluster.objects.get().ended_at == NOW
    assert Rate.objects.get().end == NOW


def test_absent_sections_stay(applied) -> None:
    assert apply(parse("week_starts: monday\n"), now=NOW) == []


def test_a_new_rate_has_hours_accounted_again(accounted_hour) -> None:
    assert not dirty()
    apply(parse(TEXT + '  - {gpu_model: A100, price: "3.80", currency: CHF}\n'), now=NOW)
    assert dirty()
