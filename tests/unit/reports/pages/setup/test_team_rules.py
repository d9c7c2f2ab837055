"""Rules as texts: one deed after another, and what they say in words."""

import json

import pytest

from finops.scope import Refused
from reports.pages.setup.team_rules import candidate, changed, entry, named_after, read, words

A, B = candidate("from_pod_label", "team"), named_after("fraud")


def test_deeds() -> None:
    assert changed([], f"add:{A}", {}) == [A]
    assert changed([A, B], "up:1", {}) == [B, A]
    assert changed([A, B], "up:0", {}) == [A, B]
    assert changed([A, B], "remove:0", {}) == [B]
    assert changed([A], "remove:7", {}) == [A]
    assert changed([A], "namespace", {"namespace": " x-* ", "team": "risk"}) == [A, '{"match": {"namespace": "x-*"}, "name": "risk"}']
    assert changed([], "label", {"kind": "from_pod_annotation", "label": "e.com/t"}) == ['{"from_pod_annotation": "e.com/t"}']
    assert changed([A], "save", {}) == [A]


def test_reading_gives_the_same_text_again() -> None:
    texts = [A, B, '{"from": "2026-01-01T00:00:00Z", "match": {"pod_label": {"app": "x"}, "queue": "q-*"}, "name": "s"}']
    assert [entry(rule) for rule in read(texts)] == texts


def test_words() -> None:
    rules = read([A, B, json.dumps({"name": "s", "cost_center": "0471", "owner": "a@b"}),
                  json.dumps({"name": "s", "match": {"pod_label": {"app": "x"}, "node_pool": "spot"}, "until": "2026-07-01"})])  # fmt: skip
    assert [words(rule) for rule in rules] == [
        "Pod label team: its value is the team",
        "Namespace fraud: team fraud",
        "Team s: cost center 0471, owner a@b",
        "Pod label app=x and node pool spot: team s, until 2026-07-01 00:00 UTC",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "a rule could not be read"),
        ('{"from_pod_label": "a b"}', "from_pod_label: 'a b' is not a Kubernetes label name"),
        ('{"name": "unassigned", "match": {"namespace": "*"}}', "name: 'unassigned' is reserved"),
        ('{"name": "x", "match": {}}', "would hold for every pod"),
    ],
)
def test_refusals_are_one_line(text: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        read([A, text])
    assert message in str(refused.value) and "\n" not in str(refused.value)
