"""GET /costs/export and the orders beside it: three people, tokens, refusals, links."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal as D

import pytest
from django.contrib.auth.models import User

from reports.api import export as api
from reports.exports import orders
from reports.models import ExportOrder, Membership
from reports.tasks import expire_exports, make_export

BOUNDS = "start=2026-10-24&end=2026-10-26"
URL = f"/api/v1/costs/export?{BOUNDS}"

pytestmark = pytest.mark.usefixtures("two_days")


@pytest.fixture(autouse=True)
def by_hand(monkeypatch, settings, tmp_path) -> None:
    """Tasks are run by the tests themselves."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(make_export, "delay", lambda **words: None)


def text(answer) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def teams(content: str) -> dict[str, D]:
    found: dict[str, D] = {}
    for row in csv.DictReader(io.StringIO(content, newline="")):
        name = row.get("team") or row["x_Team"]
        found[name] = found.get(name, D(0)) + D(row.get("cost") or row.get("BilledCost") or 0)
    return found


def test_three_people_get_each_their_own(client, bearer, all_seeing, lead, other) -> None:
    found = [teams(text(client.get(f"{URL}&format=csv", headers=bearer(person, "export")))) for person in (all_seeing, lead, other)]
    assert found[0] == {"fraud": D("6.3333333333"), "vision": D("1.6666666667"), "unallocated": D("2.75"), "'-risk": D(1)}
    assert found[1:] == [{"fraud": D("6.3333333333")}, {"vision": D("1.6666666667")}]


@pytest.mark.parametrize("words", ["format=csv&grain=hour", "format=csv&group_by=node", "format=focus-csv", "format=focus-csv&focus_version=1.4&basis=used"])
def test_no_question_widens_it(client, bearer, lead, words: str) -> None:
    content = text(client.get(f"{URL}&{words}", headers=bearer(lead, "export")))
    assert "vision" not in content and "risk" not in content and "unallocated\n" not in content
    foreign, missing = (text(client.get(f"{URL}&{words}&team={team}", headers=bearer(lead, "export"))) for team in ("vision", "zork"))
    assert foreign == missing


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet", "focus-csv", "focus-parquet"])
def test_the_name_says_what_it_is(client, bearer, all_seeing, format: str) -> None:
    answer = client.get(f"{URL}&format={format}&basis=used", headers=bearer(all_seeing, "export"))
    version, ending = ("focus-1.2", format.removeprefix("focus-")) if "focus" in format else ("v1", format)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="gpu-costs_2026-10-24_2026-10-26_day_used_{version}.{ending}"'
    assert answer.headers.get("X-Unpriced-Gpu-Hours") == ("1" if "focus" in format else None)
    assert "no-store" in answer.headers["Cache-Control"]
    assert len(b"".join(answer.streaming_content)) > 100


def test_the_token_must_name_the_scope(client, bearer, lead) -> None:
    for path in (f"{URL}&format=csv", "/api/v1/exports", "/api/v1/exports/focus/metadata"):
        answer = client.get(path, headers=bearer(lead, "read"))
        assert (answer.status_code, answer.json()["detail"]) == (403, "The token lacks the scope export.")
    assert client.get(f"{URL}&format=csv").status_code == 401


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("format=exe", "format 'exe' is not known; known: csv, xlsx, parquet, focus-csv, focus-parquet"),
        ("format=csv&format=csv", "format is given 2 times; once is enough"),
        ("format=csv&step=day", "step is not known to an export; name the grain: hour, day or month"),
        ("format=focus-csv&group_by=team", "group_by is not known to FOCUS"),
        ("format=csv&start=1990-01-01", "start is given 2 times; once is enough"),
        ("format=csv&zork=1", "unknown parameter 'zork'"),
    ],
)
def test_refusals_are_problems(client, bearer, lead, words: str, said: str) -> None:
    answer = client.get(f"{URL}&{words}", headers=bearer(lead, "export"))
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["detail"].startswith(said)


def test_twenty_years_are_refused(client, bearer, lead) -> None:
    answer = client.get("/api/v1/costs/export?start=2006-01-01&end=2026-01-01&format=csv&grain=hour", headers=bearer(lead, "export"))
    assert (answer.status_code, answer.json()["detail"]) == (400, "the window is longer than 3660 days; ask for less")


def test_what_is_too_large_is_to_be_ordered(client, bearer, all_seeing, monkeypatch) -> None:
    monkeypatch.setitem(api.MOST_LINES, "csv", 8)
    answer = client.get(f"{URL}&format=csv", headers=bearer(all_seeing, "export"))
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("this export reads more than 8 lines of the ledger; order it: POST /api/v1/exports")
    monkeypatch.setitem(api.MOST_LINES, "csv", 9)
    answer = client.get(f"{URL}&format=csv", headers=bearer(all_seeing, "export"))
    assert answer.status_code == 200
    answer.close()  # unread: the reading ends with it


def test_the_schema_of_a_version(client, bearer, lead) -> None:
    answer = client.get("/api/v1/exports/focus/metadata?focus_version=1.4", headers=bearer(lead, "export"))
    assert answer.json()["FocusVersion"] == "1.4"
    for words in ("focus_version=1.3", "zork=1"):
        assert client.get(f"/api/v1/exports/focus/metadata?{words}", headers=bearer(lead, "export")).status_code == 400


def order(client, headers, **words: str) -> dict:
    body = {"start": "2026-10-24", "end": "2026-10-26", "format": "csv", **words}
    answer = client.post("/api/v1/exports", body, content_type="application/json", headers=headers)
    assert answer.status_code == 202, answer.content
    assert answer.headers["Location"] == f"/api/v1/exports/{answer.json()['id']}"
    return answer.json()


def test_an_order_is_made_and_fetched_by_its_person(client, bearer, lead) -> None:
    headers = bearer(lead, "export")
    told = order(client, headers, basis="used")
    assert (told["state"], told["progress"], told["link"]) == ("waiting", 0, None)
    make_export(order=told["id"])
    told = client.get(f"/api/v1/exports/{told['id']}", headers=headers).json()
    assert (told["state"], told["progress"], told["rows"]) == ("done", 1, 5)  # 24th, two prices of the 25th, not used, rounding
    answer = client.get(told["link"], headers=headers)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="gpu-costs_2026-10-24_2026-10-26_day_used_v1.csv"'
    assert teams(text(answer)) == {"fraud": D("6.3333333333")}
    assert [each["id"] for each in client.get("/api/v1/exports", headers=headers).json()["exports"]] == [told["id"]]


def test_a_link_is_one_persons(client, bearer, lead, all_seeing) -> None:
    told = order(client, bearer(lead, "export"))
    make_export(order=told["id"])
    link = client.get(f"/api/v1/exports/{told['id']}", headers=bearer(lead, "export")).json()["link"]
    for headers, path in (
        (bearer(all_seeing, "export"), link), ({}, link), (bearer(lead, "read"), link), (bearer(lead, "export"), link[:-1] + "~"),
        (bearer(lead, "export"), link.split("?")[0]), (bearer(all_seeing, "export"), f"/api/v1/exports/{told['id']}"),
    ):  # fmt: skip
        assert client.get(path, headers=headers).status_code in (401, 403, 404)


def test_who_left_the_team_gets_no_file_of_it(client, bearer, lead) -> None:
    told = order(client, bearer(lead, "export"))
    make_export(order=told["id"])
    link = client.get(f"/api/v1/exports/{told['id']}", headers=bearer(lead, "export")).json()["link"]
    Membership.objects.filter(user=lead).delete()
    assert client.get(link, headers=bearer(lead, "export")).status_code == 404


def test_it_is_made_of_what_the_person_sees_when_it_is_made(client, bearer, lead) -> None:
    told = order(client, bearer(lead, "export"))
    Membership.objects.filter(user=lead).update(team="vision")
    make_export(order=told["id"])
    link = client.get(f"/api/v1/exports/{told['id']}", headers=bearer(lead, "export")).json()["link"]
    assert set(teams(text(client.get(link, headers=bearer(lead, "export"))))) == {"vision"}


def test_what_has_expired_is_gone_with_its_file(client, bearer, lead, tmp_path) -> None:
    told = order(client, bearer(lead, "export"))
    make_export(order=told["id"])
    link = client.get(f"/api/v1/exports/{told['id']}", headers=bearer(lead, "export")).json()["link"]
    assert [path.name for path in (tmp_path / "exports").iterdir()] == [told["id"]]
    ExportOrder.objects.update(expires=datetime.now(UTC) - timedelta(seconds=1))
    assert client.get(link, headers=bearer(lead, "export")).status_code == 404
    expire_exports()
    assert list((tmp_path / "exports").iterdir()) == [] and not ExportOrder.objects.exists()


def test_a_file_whose_person_is_gone_goes_as_well(client, bearer, lead, tmp_path) -> None:
    told = order(client, bearer(lead, "export"))
    make_export(order=told["id"])
    User.objects.filter(pk=lead.pk).delete()
    orders.expire(now=datetime.now(UTC) + ExportOrder.KEPT + timedelta(minutes=1))
    assert list((tmp_path / "exports").iterdir()) == []


def test_three_at_a_time(client, bearer, lead) -> None:
    headers = bearer(lead, "export")
    for _ in range(orders.MOST_OPEN):
        order(client, headers)
    body = {"start": "2026-10-24", "end": "2026-10-26", "format": "csv"}
    answer = client.post("/api/v1/exports", body, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (400, "3 of your exports are still being made; wait for one of them")


@pytest.mark.parametrize("body", ["[]", '"x"', "{", '{"format": 1}', '{"format": "csv"}', '{"start": [["x"]]}', '{"start": null}', '{"zork\\u0000": "1"}'])
def test_a_broken_order_is_a_problem(client, bearer, lead, body: str) -> None:
    answer = client.post("/api/v1/exports", body, content_type="application/json", headers=bearer(lead, "export"))
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert not ExportOrder.objects.exists()


def test_a_failure_is_told(client, bearer, lead, monkeypatch) -> None:
    told = order(client, bearer(lead, "export"))
    monkeypatch.setattr(orders.files, "write", lambda *args, **words: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    make_export(order=told["id"])
    told = client.get(f"/api/v1/exports/{told['id']}", headers=bearer(lead, "export")).json()
    assert (told["state"], told["problem"], told["link"]) == ("failed", "the file cannot be written", None)
