"""With a token: the ledger's totals of what its person may see. One day of one node: 24 GPU-h, 45.50; tests/integration/reports/conftest.py."""

import shutil
import subprocess
from collections import Counter

import pytest
from django.core.cache import cache
from django.db import connection

from reports.models import Membership

pytestmark = pytest.mark.usefixtures("one_day")
COST, HOURS = "finops_ledger_cost", "finops_ledger_gpuhours"


def sums(found, name: str, period: str = "yesterday") -> dict[tuple[str, str], float]:
    return {(of["team"], of["bucket"]): value for of, value in found.get(name, []) if of["period"] == period}


def test_one_who_sees_all(scrape, bearer, all_seeing):
    found = scrape(bearer(all_seeing, "metrics"))
    assert sums(found, COST) == {
        ("fraud", "used"): 8, ("fraud", "idle"): 12, ("fraud", "starting"): 0, ("fraud", "unmeasured"): 0,
        ("vision", "used"): 7.5, ("vision", "idle"): 0, ("vision", "starting"): 0, ("vision", "unmeasured"): 0,
        ("unallocated", "unallocated"): 18,
    }  # fmt: skip
    assert sum(sums(found, HOURS).values()) == 24 and sum(sums(found, COST, "month").values()) == 45.5
    assert {labels["currency"] for labels, _ in found[COST]} == {"CHF"}
    assert "finops_clusters" in found


def test_a_lead_sees_the_team_and_somebody_without_one_nothing(scrape, bearer, lead, other):
    assert sums(scrape(bearer(lead, "metrics")), COST) == {
        ("fraud", "used"): 8, ("fraud", "idle"): 12, ("fraud", "starting"): 0, ("fraud", "unmeasured"): 0,
    }  # fmt: skip
    Membership.objects.filter(user=other).delete()
    found = scrape(bearer(other, "metrics"))
    assert COST not in found and "finops_clusters" in found


def test_what_was_kept_for_one_is_not_shown_to_another(scrape, bearer, all_seeing, lead, other):
    """Three in a row, within the half minute; and a team that is lost is lost at once."""
    teams = [{of["team"] for of, _ in scrape(bearer(person, "metrics"))[COST]} for person in (all_seeing, lead, other)]
    assert teams == [{"fraud", "vision", "unallocated"}, {"fraud"}, {"vision"}]
    Membership.objects.filter(user=lead).delete()
    assert COST not in scrape(bearer(lead, "metrics"))


def test_the_second_scrape_asks_the_ledger_nothing(scrape, bearer, all_seeing, django_assert_max_num_queries):
    headers = bearer(all_seeing, "metrics")
    scrape(headers)
    with django_assert_max_num_queries(4) as asked:  # the token, its last use, the person's roles
        scrape(headers)
    assert [query["sql"] for query in asked.captured_queries if "ledger" in query["sql"] or "collection_window" in query["sql"]] == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [("Bearer fin_abc_wrong", 401), ("Bearer", 401), ("Bearer ", 401), ("Basic ZjpmCg==", 401), ("", 401), ("fin_abc_naked", 401)],
)
def test_a_wrong_token_is_refused_and_never_answered_with_the_health(client, sent, status):
    answer = client.get("/metrics", headers={"Authorization": sent})
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert b"finops_" not in answer.content


def test_a_token_without_the_scope_is_refused(client, bearer, all_seeing):
    answer = client.get("/metrics", headers=bearer(all_seeing, "read", "export", "admin"))
    assert answer.status_code == 403 and "scope metrics" in answer.json()["detail"]


def test_reading_alone_is_possible(client):
    assert client.post("/metrics").status_code == 405
    assert client.head("/metrics").status_code == 200


def test_the_form_is_prometheus_own(client, bearer, all_seeing):
    answer = client.get("/metrics", headers=bearer(all_seeing, "metrics"))
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer["Cache-Control"] == "no-store, private"


def test_behind_a_path_prefix(client, settings):
    settings.FORCE_SCRIPT_NAME = "/gpu"
    assert client.get("/gpu/metrics").status_code == client.get("/metrics").status_code == 200


HOSTILE = 'a"} 1\nfinops_clusters 99 \\ \r\t{=,é💸\\n'


def test_hostile_names_come_back_whole_and_promtool_finds_no_fault(client, scrape, bearer, all_seeing):
    with connection.cursor() as cursor:
        cursor.execute("update holding set team = %s, node_pool = %s where team = 'vision'", [HOSTILE, '"'])
    headers = bearer(all_seeing, "metrics")
    found = scrape(headers)
    assert sums(found, COST)[HOSTILE, "used"] == 7.5 and found["finops_clusters"] == [({}, 1)]
    if not shutil.which("promtool"):
        pytest.skip("promtool is missing: apt-get install prometheus")
    text = client.get("/metrics", headers=headers).content
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_their_number_has_a_bound_and_their_sum_stays(scrape, bearer, all_seeing, monkeypatch):
    """Of two teams one keeps its name: fraud with 20, the other's 7.50 is `other`; unallocated stays."""
    monkeypatch.setattr("reports.metrics.ledger.MOST", {"team": 1, "node_pool": 1, "gpu_model": 1})
    cache.clear()
    totals: Counter[str] = Counter()
    for labels, value in scrape(bearer(all_seeing, "metrics"))[COST]:
        totals[labels["team"]] += value if labels["period"] == "yesterday" else 0
    assert totals == {"fraud": 20, "other": 7.5, "unallocated": 18}


def test_hours_without_a_price_have_no_cost(scrape, bearer, all_seeing):
    """Fraud's ten hours lose their price."""
    money = ", ".join(f"{name} = null" for name in "cost used_cost idle_cost starting_cost unmeasured_cost unallocated_cost".split())
    with connection.cursor() as cursor:
        cursor.execute(f"update ledger_day set {money}, unpriced = 10 where allocated = 10")
    found = scrape(bearer(all_seeing, "metrics"))
    assert {team for team, _ in sums(found, COST)} == {"vision", "unallocated"}
    assert sums(found, HOURS)["fraud", "used"] == 4
    unpriced = {of["team"]: value for of, value in found["finops_ledger_unpriced_gpuhours"] if of["period"] == "yesterday"}
    assert unpriced == {"fraud": 10, "vision": 0, "unallocated": 0}
