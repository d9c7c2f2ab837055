"""The API's doors and its errors; figures are proven where the ledger is."""

from datetime import timedelta

import pytest

from reports.models import ApiToken

COSTS = "/api/v1/costs?start=2026-11-16&end=2026-11-23&group_by=team"


@pytest.mark.parametrize("address", ["/api/v1/costs", "/api/v1/nowhere"])
def test_nobody_gets_in_without_a_token(client, db, address):
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/problem+json")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "no-store" in answer.headers["Cache-Control"]


def test_all_three_are_answered(client, bearer, all_seeing, lead, other):
    for person in (all_seeing, lead, other):
        answer = client.get(COSTS, headers=bearer(person, "read"))
        assert answer.status_code == 200
        assert set(answer.json()) == {"rows", "total", "next", "as_of", "balanced", "incomplete", "currency"}


def test_a_foreign_team_looks_like_none(client, bearer, other):
    foreign, missing = (client.get(f"{COSTS}&team={team}", headers=bearer(other, "read")) for team in ("fraud", "zork"))
    assert foreign.json() == missing.json()


def test_the_token_must_name_the_scope(client, bearer, lead):
    assert client.get(COSTS, headers=bearer(lead, "metrics")).status_code == 403


def test_expired_and_revoked_tokens_are_refused(client, bearer, lead):
    assert client.get(COSTS, headers=bearer(lead, "read", expires=timedelta(hours=-1))).status_code == 401
    headers = bearer(lead, "read")
    ApiToken.objects.update(revoked_at="2026-11-01T00:00:00Z")
    assert client.get(COSTS, headers=headers).status_code == 401


def test_only_the_digest_is_kept(bearer, lead):
    text = bearer(lead, "read")["Authorization"].removeprefix("Bearer ")
    stored = ApiToken.objects.get()
    assert text.split("_", 2)[2] not in str(vars(stored))
    assert len(stored.digest) == 64


def test_unknown_parameters_are_refused_with_the_known(client, bearer, lead):
    answer = client.get(f"{COSTS}&format=csv", headers=bearer(lead, "read"))
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "'format'; known: start, end, window, group_by" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("start=0001-01-01&end=0001-01-02", "start '0001-01-01' is out of range"),
        ("start=9999-12-30&end=9999-12-31", "start '9999-12-30' is out of range"),
        ("start=2026-11-16&end=2026-11-17&group_by=" + ",".join(f"label:{n}" for n in range(1700)), "group_by names 1700 keys; 30 are enough"),
    ],
)
def test_what_no_ledger_answers_is_refused_on_every_door(client, bearer, lead, asked: str, said: str) -> None:
    answer = client.get(f"/api/v1/costs?{asked}", headers=bearer(lead, "read"))
    assert (answer.status_code, answer.json()["detail"]) == (400, said)
    client.force_login(lead)
    for table in ("before", "days"):
        assert client.get(f"/download/{table}.csv?{asked}").status_code == 400
