"""Lists, validators, tokens and refusals, for three people. The day: fraud 10 GPU-h at 20.00, vision 5 at 7.50, 9 free at 18.00."""

from datetime import UTC, datetime

import pytest

from finops.models import Rate
from reports.api import throttle
from reports.models import ApiToken
from reports.params import PLAIN

DAY = "start=2026-11-16&end=2026-11-17"
pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(client, bearer):
    def answer(person, address, **headers):
        return client.get(f"/api/v1/{address}", headers=bearer(person, "read") | headers)

    return answer


def test_teams_are_those_that_one_may_see(ask, one_day, all_seeing, lead, other):
    seen = {p.username: [(r["team"], r["cost"]) for r in ask(p, f"teams?{DAY}").json()["rows"]] for p in (all_seeing, lead, other)}
    assert {name: [team for team, _ in rows] for name, rows in seen.items()} == {
        "frances": ["fraud", "unallocated", "vision"], "lena": ["fraud"], "oskar": ["vision"],
    }  # fmt: skip
    row = ask(lead, f"teams?{DAY}").json()["rows"][0]
    assert (row["namespaces"], row["clusters"], row["used_gpu_hours"], row["currency"]) == (["fraud"], ["lab"], "4", "CHF")


def test_jobs_are_without_what_nobody_held(ask, one_day, all_seeing, other):
    everything = ask(all_seeing, f"jobs?{DAY}").json()["rows"]
    assert [(r["job"], r["job_kind"], r["teams"]) for r in everything] == [("velocity", "Job", ["fraud"]), ("defects", "Job", ["vision"])]
    assert [row["job"] for row in ask(other, f"jobs?{DAY}").json()["rows"]] == ["defects"]
    assert ask(other, f"jobs?{DAY}&team=fraud").json()["rows"] == []


def test_a_cluster_shows_a_team_its_own_figures(ask, one_day, all_seeing, lead):
    """45.50 = 20 + 7.50 + 18."""
    (whole,), (own,) = (ask(person, f"clusters?{DAY}").json()["rows"] for person in (all_seeing, lead))
    assert (whole["cost"], own["cost"], own["unallocated_gpu_hours"]) == ("45.5", "20", "0")


def test_rates_of_what_the_team_held(ask, one_day, all_seeing, lead, other):
    """Lines of the day name no pool and no model, so only the rate for everything fits them."""
    Rate.objects.create(price="2.00", currency="CHF")
    Rate.objects.create(price="9.00", currency="CHF", node_pool="secret")
    Rate.objects.create(price="1.00", currency="CHF", end=datetime(2026, 11, 1, tzinfo=UTC))
    prices = [[row["price"] for row in ask(person, f"rates?{DAY}").json()["rows"]] for person in (all_seeing, lead)]
    assert prices == [["2.0000000000", "9.0000000000"], ["2.0000000000"]]
    assert ask(other, "rates?window=2026-11-01,2026-11-02").json()["rows"] == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("costs?start=2006-01-01&end=2026-01-01&step=hour", "step=hour takes 100 days at most"),
        ("costs?start=2006-01-01&end=2026-01-01", "longer than 3660 days"),
        (f"costs?{DAY}&group_by=team,team", "group_by names 'team' 2 times"),
        (f"costs?{DAY}&cursor=%7B%7D", "cursor is not one"),
        (f"costs?{DAY}&cursor=WzEsMiwzLDRd", "cursor is not one"),
        (f"costs?{DAY}&limit=0", "limit '0'"),
        (f"costs?{DAY}&team=a%00b", "NUL"),
        (f"costs?{DAY}&" + "&".join(f"team={n}" for n in range(1100)), "number of GET/POST parameters"),
        (f"teams?{DAY}&group_by=job", "group_by and step are for /api/v1/costs"),
        (f"rates?{DAY}&team=fraud", "unknown parameter 'team'; known: start"),
    ],
)
def test_refused_in_a_problem_document(ask, one_day, lead, address, said):
    answer = ask(lead, address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("value", ["'; drop table holding; --", 'a"b', "a%0Ab", "%25s", "%(x)s", "\\", "🦜"])
@pytest.mark.parametrize("name", ["team", "exclude.job", "label:a'b%22", "exclude.label:%25s"])
def test_hostile_values_are_only_values(ask, one_day, lead, name, value):
    assert ask(lead, f"costs?{DAY}&group_by=team&{name}={value}").status_code == 200


@pytest.mark.parametrize("key", "cluster team department cost_center namespace job_kind job run pod user node node_pool gpu_model capacity_type queue label:app".split())
def test_every_group_key_groups_filters_and_leaves_out(ask, one_day, all_seeing, key):
    """In every grouping the rows make 45.50; filtered by a row's own value that row remains, and left out it is gone."""
    found = ask(all_seeing, f"costs?{DAY}&group_by={key}&step=day").json()
    assert found["balanced"] and sum(float(row["cost"]) for row in found["rows"]) == 45.5
    value = found["rows"][0][key]
    only = ask(all_seeing, f"costs?{DAY}&group_by={key}&{key}={value}").json()["rows"]
    rest = ask(all_seeing, f"costs?{DAY}&group_by={key}&exclude.{key}={value}").json()["rows"]
    assert {row[key] for row in only} == {value}
    assert value not in {row[key] for row in rest}


def test_an_answer_that_is_the_same_is_not_sent_again(ask, one_day, lead, other):
    first = ask(lead, f"costs?{DAY}")
    tag = first.headers["ETag"]
    again = ask(lead, f"costs?{DAY}", **{"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert "no-store" in again.headers["Cache-Control"]
    assert ask(other, f"costs?{DAY}", **{"If-None-Match": tag}).status_code == 200
    assert ask(lead, f"costs?{DAY}&group_by=team", **{"If-None-Match": tag}).status_code == 200
    lead.memberships.create(team="vision")
    assert ask(lead, f"costs?{DAY}", **{"If-None-Match": tag}).status_code == 200


def test_a_changed_rate_is_another_answer(ask, one_day, lead):
    tag = ask(lead, f"rates?{DAY}").headers["ETag"]
    Rate.objects.create(price="2.00", currency="CHF")
    assert ask(lead, f"rates?{DAY}", **{"If-None-Match": tag}).status_code == 200


def test_pages_go_on_behind_the_last_row(ask, one_day, all_seeing):
    """20, 18, 7.50: three pages of one row each."""
    seen, cursor = [], ""
    while cursor is not None:
        found = ask(all_seeing, f"costs?{DAY}&group_by=team&limit=1&cursor={cursor}").json()
        seen += [row["team"] for row in found["rows"]]
        cursor = found["next"]
    assert seen == ["fraud", "unallocated", "vision"]


def test_too_often_is_told_with_when_to_come_back(client, bearer, lead, monkeypatch):
    monkeypatch.setitem(throttle.RATES, "read", "2/min")
    headers = bearer(lead, "read")
    answers = [client.get("/api/v1/tokens", headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Content-Type"] == "application/problem+json" and int(answers[2].headers["Retry-After"]) > 0


def test_methods_and_addresses_that_are_not_there(client, bearer, lead):
    headers = bearer(lead, "read")
    for answer, status in ((client.post("/api/v1/costs", headers=headers), 405), (client.get("/api/v1/budgets", headers=headers), 404)):
        assert (answer.status_code, answer.json()["status"], answer.headers["Content-Type"]) == (status, status, "application/problem+json")


def test_tokens_are_ones_own(client, bearer, lead, other):
    headers, admin = bearer(lead, "read"), bearer(lead, "admin", "read")
    bearer(other, "read")
    rows = client.get("/api/v1/tokens", headers=headers).json()["rows"]
    assert [row["scopes"] for row in rows] == [["read"], ["admin", "read"]]
    assert rows[0]["last_used"] and not rows[1]["last_used"]
    foreign = ApiToken.objects.get(user=other).prefix
    assert client.delete(f"/api/v1/tokens/{rows[1]['prefix']}", headers=headers).status_code == 403
    assert client.delete(f"/api/v1/tokens/{foreign}", headers=admin).status_code == 404
    assert client.delete(f"/api/v1/tokens/{rows[0]['prefix']}", headers=admin).status_code == 204
    assert client.get("/api/v1/tokens", headers=headers).status_code == 401


def test_a_session_needs_its_csrf_token(lead, bearer):
    from django.test import Client

    bearer(lead, "read")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(lead)
    assert strict.delete(f"/api/v1/tokens/{ApiToken.objects.get().prefix}").status_code == 403


def test_the_words_are_known_in_the_refusal(ask, lead):
    assert all(name in ask(lead, "costs?bogus=1").json()["detail"] for name in PLAIN)
