"""/setup/teams: rules tried on real GPU time before they are saved. Three pods hold 4.0 GPU-h each; one bears the label
team=vision, two are in a namespace labelled team=platform, one of these is vision's."""

import json
from datetime import UTC, datetime

from django.db import connection

from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.export import configuration
from finops.models import TeamRule

POD, SPACE = '{"from_pod_label": "team"}', '{"from_namespace_label": "team"}'


def posted(client, do: str, rules: list[str], **more: str):
    answer = client.post("/setup/teams", {"do": do, "rule": rules, **more})
    return answer, answer.content.decode()


def split(text: str) -> dict[str, str]:
    body = text.split('aria-labelledby="split"')[1].split("</tbody>")[0].split("<tbody>")[1]
    rows = [row.split("</td>")[0] for row in body.split('<th scope="row">')[1:]]
    return {row.split("</th>")[0]: row.rpartition(">")[2] for row in rows}


def test_without_rules_all_is_unassigned_and_candidates_are_offered(as_admin, collected) -> None:
    text = as_admin.get("/setup/teams").content.decode()
    assert split(text) == {"unassigned": "12.0"}
    assert "Without a rule all <b>12.0 GPU-h</b> are unassigned" in text
    assert "2 of 3" in text and "1 of 3" in text and "Team of that name" in text


def test_an_added_rule_is_tried_and_not_saved(as_admin, collected) -> None:
    answer, text = posted(as_admin, f"add:{POD}", [])
    assert answer.status_code == 200 and split(text) == {"vision": "4.0", "unassigned": "8.0"} and "Not saved yet" in text
    _, text = posted(as_admin, f"add:{SPACE}", [POD])
    assert split(text) == {"platform": "4.0", "vision": "4.0", "unassigned": "4.0"}
    assert not TeamRule.objects.exists()


def test_a_label_that_a_rule_names_is_not_offered_again_however_it_is_spelled(as_admin, collected) -> None:
    offered = 'aria-label="Its value is the team: Pod label'
    _, text = posted(as_admin, "add:" + POD.replace('"team"', '"TEAM"'), [])
    assert offered in as_admin.get("/setup/teams").content.decode() and offered not in text


def test_the_order_decides(as_admin, collected) -> None:
    _, text = posted(as_admin, "up:1", [POD, SPACE])
    assert split(text) == {"platform": "8.0", "unassigned": "4.0"}


def test_a_namespace_rule_and_its_removal(as_admin, collected) -> None:
    _, text = posted(as_admin, "namespace", [], namespace="else*", team="risk")
    assert split(text) == {"risk": "4.0", "unassigned": "8.0"} and "Namespace else*: team risk" in text
    _, text = posted(as_admin, "remove:0", ['{"name": "risk", "match": {"namespace": "else*"}}'])
    assert split(text) == {"unassigned": "12.0"}


def test_saving_stores_the_rules_and_has_every_hour_accounted_again(as_admin, collected) -> None:
    answer, _ = posted(as_admin, "save", [POD, SPACE])
    assert answer.status_code == 302
    assert list(TeamRule.objects.order_by("position").values_list("kind", "label")) == [("from_pod_label", "team"), ("from_namespace_label", "team")]
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from collection_window where dirty")
        assert cursor.fetchone()[0] == 4
    now = datetime.now(UTC)
    assert apply(parse(dump(configuration(now=now))), now=now) == []


def test_rules_of_a_file_survive_as_they_are(as_admin, collected) -> None:
    file = """teams:
      - {name: scoring, match: {queue: "scoring-*", pod_label: {app: x}}, from: 2026-01-01}
      - {name: scoring, cost_center: "0471", owner: lead@example.com, parent: risk}"""
    now = datetime.now(UTC)
    apply(parse(file), now=now)
    before = list(TeamRule.objects.order_by("position").values())
    text = as_admin.get("/setup/teams").content.decode()
    rules = [json.dumps(json.loads(part.split('"', 1)[0].replace("&quot;", '"'))) for part in text.split('name="rule" value="')[1:]]
    assert len(rules) == 2 and "Pod label app=x and queue scoring-*: team scoring, from 2026-01-01 00:00 UTC" in text
    posted(as_admin, "save", [*rules, SPACE])
    after = list(TeamRule.objects.order_by("position").values())
    assert [{k: v for k, v in row.items() if k != "id"} for row in after[:2]] == [{k: v for k, v in row.items() if k != "id"} for row in before]
    assert len(after) == 3


def test_what_the_file_would_refuse_is_refused(as_admin, collected) -> None:
    answer, text = posted(as_admin, "namespace", [], namespace="a", team="unassigned")
    assert answer.status_code == 400 and "is reserved; choose another name" in text
    answer, text = posted(as_admin, "label", [POD], kind="from_pod_label", label="not a label")
    assert answer.status_code == 400 and "is not a Kubernetes label name" in text and "Pod label team: its value is the team" in text
    answer, text = posted(as_admin, "save", ["{not json"])
    assert answer.status_code == 400 and not TeamRule.objects.exists()


def test_before_the_first_hour_there_is_nothing_to_try_on(as_admin, db) -> None:
    text = as_admin.get("/setup/teams").content.decode()
    assert "No hour is accounted yet" in text
    answer, _ = posted(as_admin, "save", [POD])
    assert answer.status_code == 302 and TeamRule.objects.count() == 1
