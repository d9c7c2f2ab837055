"""Applying a configuration: once, again, and what it makes of hours already accounted."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from finops import pipeline
from finops.apply import apply
from finops.configuration.schema import Invalid, parse
from finops.models import Cluster, Rate
from tests.fleet import HOUR, TEN, Fleet, bill, commit, minutes

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
    assert changes == ["rate T4 0.70 CHF: added", "rate T4 0.60 CHF: ended"]
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


def test_a_zone_that_stored_hours_do_not_fit_is_refused(accounted_hour) -> None:
    with pytest.raises(Invalid, match="10:00 UTC is stored already and is no whole hour in Asia/Kolkata"):
        apply(parse("timezone: Asia/Kolkata\n"), now=NOW)
    assert apply(parse("timezone: Europe/Berlin\n"), now=NOW) == ["timezone: UTC → Europe/Berlin"]


def test_a_price_that_changes_while_hours_are_accounted_reaches_every_hour(db, tmp_path, monkeypatch) -> None:
    first = 'currency: CHF\nrates:\n  - {price: "2", currency: CHF, from: 2026-01-01, until: 2026-10-06}\n'
    apply(parse(first), now=NOW)
    row = Fleet().node(times=minutes(-20, 200)).collected(tmp_path, hours=(0, 1))
    calls, real = [], pipeline.Book

    def meanwhile(cluster) -> object:
        book = real(cluster)
        calls.append(book)
        if len(calls) == 1:  # the book is read, no hour is done yet
            apply(parse(f'{first}  - {{price: "3", currency: CHF, from: 2026-10-06}}\n'), now=NOW)
            commit()
        return book

    monkeypatch.setattr(pipeline, "Book", meanwhile)
    pipeline.account(row, start=TEN, end=TEN + 2 * HOUR)
    commit()
    pipeline.account(row)  # whatever the first turn left dirty
    assert bill(hours=2).total.cost == 6


@pytest.mark.parametrize("start", ["", ", from: 2026-01-01", ", from: 2026-10-06"])
def test_a_price_that_is_edited_in_the_file_leaves_the_past_alone(start: str, db, tmp_path) -> None:
    apply(parse('currency: CHF\nrates:\n  - {price: "2", currency: CHF}\n'), now=TEN + HOUR)
    row = Fleet().node(times=minutes(-20, 200)).collected(tmp_path, hours=(0, 1))
    apply(parse(f'currency: CHF\nrates:\n  - {{price: "3", currency: CHF{start}}}\n'), now=TEN + HOUR)
    commit()
    pipeline.account(row)
    assert [bill(first=n).total.cost for n in (0, 1)] == [2, 3]


def test_a_price_that_comes_back_does_not_reach_behind_the_one_it_follows(db, tmp_path) -> None:
    row = Fleet().node(times=minutes(-20, 200)).collected(tmp_path, hours=(0, 1, 2))
    for n, price in enumerate(("2", "3", "2")):
        text = f'currency: CHF\nrates:\n  - {{price: "{price}", currency: CHF}}\n'
        apply(parse(text), now=TEN + HOUR * n)
        assert apply(parse(text), now=TEN + HOUR * n) == []
    commit()
    pipeline.account(row)
    assert [bill(first=n).total.cost for n in range(3)] == [2, 3, 2]


def test_a_currency_in_which_kept_prices_have_no_value_is_refused(db) -> None:
    apply(parse("currency: CHF\nrates:\n  - {price: 3.80, currency: CHF}\n"), now=TEN)
    with pytest.raises(Invalid, match="prices are kept in CHF, which has no exchange rate to EUR; add one under exchange_rates"):
        apply(parse("currency: EUR"), now=TEN)
    apply(parse("currency: EUR\nexchange_rates:\n  - {currency: CHF, rate: 1.06, from: 2025-01-01}\n"), now=TEN)
