"""One who sees all, one who leads fraud, one from vision: rows and totals, by API and page. Worked by hand."""

from decimal import Decimal as D

import pytest

BOUNDS = "start=2026-11-16&end=2026-11-17"

pytestmark = pytest.mark.usefixtures("one_day")


def costs(client, headers, more="&group_by=team"):
    return client.get(f"/api/v1/costs?{BOUNDS}{more}", headers=headers).json()


def amounts(answer):
    return [(row["team"], D(row["cost"])) for row in answer["rows"]]


def test_one_sees_all(client, bearer, all_seeing):
    answer = costs(client, bearer(all_seeing, "read"))
    assert amounts(answer) == [("fraud", D(20)), ("unallocated", D(18)), ("vision", D("7.5"))]
    assert (D(answer["total"]["cost"]), D(answer["total"]["capacity_gpu_hours"])) == (D("45.5"), D(24))


def test_a_lead_gets_rows_and_totals_of_the_team(client, bearer, lead):
    answer = costs(client, bearer(lead, "read"))
    assert amounts(answer) == [("fraud", D(20))]
    assert (D(answer["total"]["cost"]), D(answer["total"]["capacity_gpu_hours"])) == (D(20), D(10))
    assert answer["total"]["efficiency"] == 0.4


@pytest.mark.parametrize("more", ["", "&group_by=node", "&group_by=job&step=day", "&exclude.team=vision"])
def test_no_question_widens_it(client, bearer, other, more):
    total = costs(client, bearer(other, "read"), more)["total"]
    assert D(total["cost"] or 0) == (D(0) if "exclude" in more else D("7.5"))


def test_a_foreign_team_is_a_team_that_is_not(client, bearer, other):
    headers = bearer(other, "read")
    foreign, missing = (costs(client, headers, f"&group_by=team&team={team}") for team in ("fraud", "zork"))
    assert foreign == missing
    assert foreign["rows"] == []


def test_pages_of_one_row_make_the_whole(client, bearer, all_seeing):
    headers, cursor, seen = bearer(all_seeing, "read"), "", []
    for _ in range(3):
        answer = costs(client, headers, f"&group_by=team&limit=1{cursor}")
        seen += amounts(answer)
        cursor = f"&cursor={answer['next']}"
    assert answer["next"] is None
    assert [team for team, _ in seen] == ["fraud", "unallocated", "vision"]


def test_the_page_shows_each_their_own(client, all_seeing, lead, other):
    texts = {}
    for person in (all_seeing, lead, other):
        client.force_login(person)
        texts[person.username] = client.get(f"/?{BOUNDS}").content.decode()
    assert "45.50" in texts["frances"]
    assert "vision" not in texts["lena"] and "45.50" not in texts["lena"] and "20.00" in texts["lena"]
    assert "fraud" not in texts["oskar"] and "45.50" not in texts["oskar"] and "7.50" in texts["oskar"]


def test_a_team_opens_to_its_jobs(client, lead):
    client.force_login(lead)
    assert "fraud/velocity" in client.get(f"/?{BOUNDS}&team=fraud").content.decode()
