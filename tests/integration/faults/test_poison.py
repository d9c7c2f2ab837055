"""One bad hour among good ones: it stands aside with its reason, and comes right by itself."""

from tests.hostile import Request, failure, hostile
from tests.integration.faults.oracle import assert_undisturbed
from tests.integration.faults.stage import OVER, START
from tests.integration.faults.test_killed import SEVENTH
from tests.integration.faults.witness import Witness


def test_an_hour_that_no_one_foresaw(stage, undisturbed) -> None:
    flag = stage.folder / "poison"
    flag.touch()
    poison = {"at": "call", "name": "ingest.collect:cut", "when": SEVENTH, "do": "fail", "flag": str(flag), "always": True}
    (problem,) = stage.turn(hooks=[poison])["problems"]
    assert "2026-10-25T07:00:00+00:00: unforeseen ArithmeticError: this hour is poison" in problem
    assert stage.states() == {"done": 11, "failed": 1}
    assert stage.turn(now=OVER + 50, hooks=[poison]) == {"problems": [], "waiting": 0}  # it pauses
    assert len(stage.turn(now=OVER + 70, hooks=[poison])["problems"]) == 1
    assert stage.window("failures", 7) == 2
    assert stage.turn(now=OVER + 150, hooks=[poison]) == {"problems": [], "waiting": 0}  # twice as long
    flag.unlink()
    assert stage.turn(now=OVER + 200, hooks=[poison]) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_an_hour_that_cannot_be_charged_keeps_no_other_back(stage, undisturbed) -> None:
    poison = {"at": "call", "name": "finops.reading:read_hours", "when": "25, 7, 0, tzinfo=datetime.timezone.utc), datetime.datetime(2026, 10, 25, 8", "do": "fail", "always": True}
    (problem,) = stage.turn(hooks=[poison])["problems"]
    assert "accounting" in problem and "2026-10-25T07:00:00+00:00: this hour is poison" in problem
    assert stage.states() == {"done": 12}
    assert stage.sql("select count(*) filter (where dirty), count(*) filter (where accounted_at is null) from collection_window") == [(1, 1)]
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_an_hour_the_source_always_fails_on(prometheus, stage, undisturbed) -> None:
    """Its neighbours, asked for together with it, come alone the next time."""
    witness = Witness(prometheus)
    first, last = START + 3 * 3600, START + 4 * 3600
    poisoned = True

    def behave(request: Request, number: int) -> object:
        return failure(500, "internal", "corrupt block") if poisoned and asks_for(request.form, first, last) else witness(request, number)

    with hostile(behave) as server:
        stage.source("plain", "prometheus", url=server.url, match={"cluster": "plain"})
        (problem,) = stage.turn()["problems"]
        assert "corrupt block" in problem and server.url in problem and "kube_pod_container_resource_requests" in problem
        assert stage.states() == {"done": 6, "failed": 6}
        assert len(stage.turn(now=OVER + 90)["problems"]) == 3
        assert stage.states() == {"done": 9, "failed": 3}  # the hour, and its neighbours, whose margins reach into it
        poisoned = False
        assert stage.turn(now=OVER + 300)["problems"] == []
    assert_undisturbed(stage, undisturbed["plain"])


def asks_for(form: dict[str, str], first: float, last: float) -> bool:
    """Whether the question is about the raw samples of a span that touches [first, last)."""
    if "kube_pod_container_resource_requests" not in (query := form["query"]) or not query.endswith("ms]"):
        return False
    at = float(form["time"])
    return at >= first and at - int(query[query.rindex("[") + 1 : -3]) / 1000 < last
