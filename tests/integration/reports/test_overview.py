"""The overview of a company: every kind of address answers, and what is special is said."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection

from finops.models import Cluster
from tests.integration.reports.company import ZONE, open_company

NOW = datetime(2026, 11, 23, 9, tzinfo=ZONE)
WEEK = "start=2026-11-16&end=2026-11-23"


@pytest.fixture
def company(db) -> Cluster:
    return open_company(NOW, days=21)


def text(client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return re.sub(r"\s+", " ", answer.content.decode())


def test_every_kind_of_address_answers(client, company, all_seeing, lead):
    client.force_login(all_seeing)
    for query in (
        "start=2024-06-01&end=2026-12-01",
        "start=2020-01-01&end=2026-12-01&chart=use",
        "start=2026-11-23T07:00&end=2026-11-23T08:00",
        "start=2026-11-20&end=2026-11-24",
        f"{WEEK}&team=nobody",
        f"{WEEK}&team=",
        f"{WEEK}&exclude.team=unallocated&by=job&sort=name",
        f"{WEEK}&team=unallocated",
        f"{WEEK}&by=gpu_model&sort=-change",
        f"{WEEK}&label:app=x",
        "window=mtd",
    ):
        text(client, f"/?{query}")
    client.force_login(lead)
    assert "Unallocated" not in text(client, f"/?{WEEK}")


@pytest.mark.parametrize(("query", "says"), [("by=moon", "unknown by"), ("sort=cheap", "unknown sort"), ("group_by=team", "by=team")])
def test_what_is_not_known_is_refused(client, company, all_seeing, query, says):
    client.force_login(all_seeing)
    assert says in text(client, f"/?{query}", 400)


def test_weeks_and_months_where_days_would_be_too_many(client, company, all_seeing):
    client.force_login(all_seeing)
    assert "Cost per week by team" in text(client, "/?start=2026-01-01&end=2026-12-01")
    assert "Cost per month by team" in text(client, "/?start=2020-01-01&end=2026-12-01")


def test_a_window_beyond_the_data_is_compared_with_nothing(client, company, all_seeing):
    client.force_login(all_seeing)
    page = text(client, "/?start=2026-11-20&end=2026-11-27")
    assert "data up to Mon 23 Nov 2026, 09:00; no comparison" in page
    assert "What moved" not in page


def test_a_window_before_the_data_began_says_so(client, company, all_seeing):
    client.force_login(all_seeing)
    page = text(client, "/?start=2026-11-03&end=2026-11-10")
    assert "data begin Mon 2 Nov 2026, 00:00; no comparison with 27 Oct – 2 Nov" in page


def test_where_the_usual_window_lies_before_all_data_the_days_since_then_are_shown(client, all_seeing):
    begun = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
    open_company(begun + timedelta(hours=1), days=0)
    client.force_login(all_seeing)
    today, tomorrow = begun.date(), begun.date() + timedelta(days=1)
    assert client.get("/?by=job").headers["Location"] == f"/?by=job&start={today}&end={tomorrow}"
    assert "Cost per day" in text(client, f"/?start={today}&end={tomorrow}")
    assert "Nothing in this window" in text(client, "/?window=7d")


def test_a_cluster_without_data_is_not_asked_for_again(client, all_seeing):
    Cluster.objects.create(name="main", source={"prometheus": {"url": "http://p:9090"}})
    client.force_login(all_seeing)
    page = text(client, "/")
    assert "See how far collection is" in page and "Connect a cluster" not in page


def test_one_job_has_its_name_above_it(client, company, all_seeing):
    client.force_login(all_seeing)
    page = text(client, f"/?{WEEK}&team=fraud&cluster=eks-prod&namespace=fraud&job_kind=Notebook&job=nb-mkeller&by=job")
    assert "<h1>fraud/nb-mkeller</h1>" in page and "<title>fraud/nb-mkeller · fraud · Overview · GPU costs</title>" in page
    assert re.search(r'href="\?start=2026-11-16&amp;end=2026-11-23&amp;team=fraud" id="crumb-team"', page)


def test_hours_without_a_price_are_named(client, company, all_seeing):
    with connection.cursor() as cursor:
        cursor.execute(
            """update ledger_day set cost = null, used_cost = null, idle_cost = null, starting_cost = null, unmeasured_cost = null,
                 unallocated_cost = null, unpriced = capacity, priced_allocated = 0, priced_used = 0
               where holding in (select key from holding where node_pool = 'a100-mig')"""
        )
    client.force_login(all_seeing)
    page = text(client, f"/?{WEEK}")  # four GPUs for seven days
    assert "<b>Unpriced:</b> 672.0 GPU-h of NVIDIA A100-SXM4-40GB in a100-mig." in page


def test_silent_hours_are_named_with_their_reason(client, company, all_seeing):
    client.force_login(all_seeing)
    assert "eks-prod, Fri 20 Nov 02:00–04:00 (the source has no samples)" in text(client, f"/?{WEEK}")
    assert "<b>Incomplete:</b>" not in text(client, "/?start=2026-11-10&end=2026-11-17")


def test_a_filter_form_becomes_a_plain_address(client, company, all_seeing):
    client.force_login(all_seeing)
    answer = client.get(f"/?{WEEK}&team=fraud&add_key=team&add_verb=is&add_value=vision")
    assert answer.headers["Location"] == f"/?{WEEK}&team=fraud&team=vision"


@pytest.mark.parametrize("table", ["rows", "before", "days", "idle"])
def test_every_table_can_be_downloaded(client, company, lead, table):
    client.force_login(lead)
    answer = client.get(f"/download/{table}.csv?{WEEK}")
    lines = answer.content.decode().split("\r\n")
    assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="gpu-costs-{table}-2026-1')
    assert "cost_per_used_gpu_hour" in lines[0] and len(lines) > 2
    assert "vision" not in answer.content.decode()


def test_an_unknown_table_is_not_found_and_a_stranger_sent_to_the_log_in(client, company, lead):
    assert client.get("/download/rows.csv").headers["Location"].startswith("/login/")
    client.force_login(lead)
    assert client.get("/download/secrets.csv").status_code == 404


@pytest.mark.parametrize(("back", "to"), [("/?team=fraud", "/?team=fraud"), ("https://evil.example/", "/"), ("", "/")])
def test_a_theme_leads_back_here_only(client, db, back, to):
    answer = client.post("/theme", {"theme": "dark", "next": back})
    assert (answer.headers["Location"], answer.cookies["theme"].value) == (to, "dark")
