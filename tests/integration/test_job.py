"""One job explained: by hand-made clusters whose every figure is worked by hand, through collecting and accounting."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from finops.job.explain import explain
from finops.job.explanation import Explanation
from finops.job.question import question
from finops.models import ExchangeRate, Rate
from finops.scope import Refused
from tests.cases_opencost.ground import GPU, TEN, WHOLE, Ground, price, rule
from tests.fleet import minutes

D = Decimal
pytestmark = pytest.mark.django_db
AT = int(TEN.timestamp())


def told(job: str, **more) -> Explanation:
    return explain(question(job, **more))


def printed(job: str, **more) -> str:
    out = StringIO()
    call_command("job", job, stdout=out, **more)
    return out.getvalue()


def refused(job: str, **more) -> str:
    with pytest.raises(CommandError) as caught:
        printed(job, **more)
    assert caught.value.returncode == 2 and "\n" not in str(caught.value)
    return str(caught.value)


def squeezed(text: str) -> str:
    """Without the breaks of lines."""
    return " ".join(text.split())


def owned(fleet: Ground, pod: str, kind: str, owner: str, times: Iterable[int] = WHOLE) -> Ground:
    who = {"namespace": "ml", "pod": pod, "uid": f"uid-ml-{pod}", "owner_kind": kind, "owner_name": owner, "owner_is_controller": "true"}
    fleet.put("kube_pod_owner", who, 1, times)
    return fleet


def four_gpus(tmp_path) -> None:
    """Bound 10:10, started 10:20, completed 11:10 on four GPUs busy for a half."""
    fleet = Ground().node(**{GPU: 4}).hold("train", 4, times=minutes(10, 70), bound=600, started=1200)
    fleet.hold("train", 4, times=minutes(70, 90), bound=600, started=1200, completed=4200, phase="Succeeded")
    for n in range(4):
        fleet.card(f"GPU-{n}", "train", busy=0.5)
    fleet.collected(tmp_path, hours=(0, 1))


def test_a_simple_job_phase_by_phase(tmp_path) -> None:
    """4 GPUs × 1 h = 4 GPU-hours × 3.80 = 15.20; starting 10 min: 0.6667 and 2.5333; the rest, 3.3333, is half used."""
    price("3.80", start=datetime(2026, 1, 1, tzinfo=UTC))
    four_gpus(tmp_path)
    found = told("ml/train")
    assert (found.sums.cost, found.sums.allocated_gpu_hours, found.differences, found.lines) == (D("15.20"), 4, (), 2)
    (pod,) = found.pods
    (held,) = pod.held
    assert [(m.at - AT, m.told_by.split(",")[0]) for m in (held.bound, held.started, held.ended)] == [
        (600, "kube_pod_status_scheduled_time"),
        (1200, "kube_pod_container_state_started"),
        (4200, "kube_pod_completion_time"),
    ]
    (charge,) = pod.charges
    assert (charge.start - AT, charge.end - AT, charge.times, charge.missing) == (600, 4200, ((Fraction(4), 3600),), 0)
    text = printed("ml/train")
    assert "4 GPUs × 1 h = 4.0000 GPU-hours × 3.80 CHF = 15.20 CHF" in text
    assert "used 1.6667 (6.3333 CHF), idle 1.6667 (6.3333 CHF), starting 0.6667 (2.5333 CHF)" in text
    assert "R1  3.80 CHF per GPU-hour for every GPU, from 2026-01-01 00:00" in text
    assert "2 ledger lines of 1 pod add up to 4.0000000000 GPU-hours and 15.2000000000 CHF" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_window_inside_the_life(tmp_path) -> None:
    """Of 11:00 to 12:00 it held 10 min: 0.6667 GPU-hours, 2.5333."""
    price("3.80")
    four_gpus(tmp_path)
    found = told("ml/train", start="2026-10-06T11:00", end="2026-10-06T12:00")
    assert (found.sums.allocated_gpu_hours, found.sums.cost, found.whole_life) == (D("0.6666666667"), D("2.5333333335"), False)
    assert [(charge.start - AT, charge.end - AT) for charge in found.pods[0].charges] == [(3600, 4200)]
    assert "of its life only what comes from 2026-10-06 11:00:00 on is told here" in printed("ml/train", start="2026-10-06T11:00")
    assert "holds no GPU in that window" in refused("ml/train", start="2026-10-06T13:00")


def test_a_price_change_in_the_middle_of_an_hour(tmp_path) -> None:
    """30 min × 2.00 = 1.00 and 30 min × 3.00 = 1.50."""
    half = TEN + timedelta(minutes=30)
    price("2", end=half)
    price("3", start=half)
    Ground().node().hold("a").card("GPU-1", "a", busy=1.0).collected(tmp_path)
    charges = told("ml/a").pods[0].charges
    assert [(c.start - AT, c.end - AT, c.price, c.sums.cost) for c in charges] == [(0, 1800, 2, 1), (1800, 3600, 3, D("1.5"))]
    assert [c.applied and (c.applied.start, c.applied.end) for c in charges] == [(None, half), (half, None)]
    assert "1 GPU × 30 min = 0.5000 GPU-hours × 3.00 CHF = 1.50 CHF" in printed("ml/a")


def test_a_price_in_another_currency_names_its_exchange_rate(tmp_path) -> None:
    """2.00 EUR × 0.94 = 1.88 CHF."""
    ExchangeRate.objects.create(currency="EUR", rate="0.94", start=datetime(2026, 1, 1, tzinfo=UTC))
    price("2", currency="EUR", gpu_model="Tesla A100")
    price("9", currency="CHF", gpu_model="Tesla T4")
    Ground().node().hold("a").card("GPU-1", "a", model="Tesla A100").collected(tmp_path)
    applied = told("ml/a").pods[0].charges[0].applied
    assert applied and (applied.entered, applied.entered_currency, applied.exchange, applied.price) == (2, "EUR", D("0.94"), D("1.88"))
    assert "2.00 EUR per GPU-hour for gpu_model Tesla A100, without begin or end; × 0.94 (exchange rate of 2026-01-01) = 1.88 CHF" in squeezed(
        printed("ml/a")
    )


def test_a_recurring_job_run_by_run(tmp_path) -> None:
    """Run 1 holds 10:00 to 10:30, run 2 11:00 to 12:00, at 2.00: 1.00 and 2.00."""
    price("2")
    fleet = Ground().node()
    for run, first, after in (("eval-1", 0, 30), ("eval-2", 60, 120)):
        times = minutes(first, after)
        fleet.hold(f"{run}-x", times=times, completed=None)
        fleet.hold(f"{run}-x", times=minutes(after, after + 5), bound=first * 60, completed=after * 60, phase="Succeeded")
        owned(fleet, f"{run}-x", "Job", run, minutes(first, after + 5))
        top = {"namespace": "ml", "job_name": run, "owner_kind": "CronJob", "owner_name": "eval", "owner_is_controller": "true"}
        fleet.put("kube_job_owner", top, 1, minutes(first, after + 5))
    fleet.collected(tmp_path, hours=(0, 1))
    found = told("ml/eval")
    assert (found.kind, found.sums.cost) == ("CronJob", 3)
    assert [(r.name, r.start - AT, r.end - AT, r.pods, r.sums.cost) for r in found.runs] == [
        ("eval-1", 0, 1800, 1, 1),
        ("eval-2", 3600, 7200, 1, 2),
    ]
    one = told("ml/eval", run="eval-1")
    assert (one.sums.cost, one.whole_life, [pod.name for pod in one.pods]) == (1, True, ["eval-1-x"])
    both = told("ml/eval", run="eval-1", start="2026-10-06T10:00", end="2026-10-06T12:00")
    assert (both.sums.cost, both.differences, [run.name for run in both.runs]) == (1, (), ["eval-1"])
    assert "Runs (2)" in printed("ml/eval")
    assert "has no run 'eval-3'; the nearest are" in refused("ml/eval", run="eval-3")


def test_a_shared_gpu_is_marked_as_estimated(tmp_path) -> None:
    """Two of four replicas: 1/4 GPU × 1 h × 2.00 = 0.50; the board's 0.4 busy is shared out, 0.2 each."""
    price("2")
    shared = "nvidia_com_gpu_shared"
    Ground().node(**{shared: 4}).hold("a", resource=shared).hold("b", resource=shared).card("GPU-1", busy=0.4).collected(tmp_path)
    (pod,) = told("ml/a").pods
    assert (pod.sums.cost, pod.sums.used_gpu_hours, pod.held[0].gpus) == (D("0.5"), D("0.2"), Fraction(1, 4))
    assert [(d.estimated, d.beside, d.share) for d in pod.devices] == [(True, 1, 0.25)]
    text = printed("ml/a")
    assert "1 × nvidia_com_gpu_shared = 1/4 GPU on n1" in text
    assert "1/4 GPU × 1 h = 0.2500 GPU-hours × 2.00 CHF = 0.50 CHF" in text
    assert "estimated: holds 0.25 of this board beside 1 other pod" in squeezed(text)


def test_a_silent_exporter(tmp_path) -> None:
    """Samples to 10:29 speak to 10:30:30: 29.5 min of ten o'clock and all of eleven are unmeasured."""
    price("2")
    fleet = Ground().node(**{GPU: 2}).hold("a").hold("b").card("GPU-1", "a", busy=1.0, times=minutes(-20, 30)).card("GPU-2", "b", busy=1.0)
    fleet.collected(tmp_path, hours=(0, 1))
    found = told("ml/a")
    assert [(g.start - AT, g.end - AT, g.gpu_hours) for g in found.pods[0].unmeasured] == [(0, 7200, D("1.4916666667"))]
    assert [(d.kind, d.hours) for d in found.doubts] == [("no_measurement", 1)]
    assert told("ml/b").doubts == () and told("ml/b").pods[0].unmeasured == ()
    text = printed("ml/a")
    assert "unmeasured 1.4917 (2.9833 CHF)" in squeezed(text) and "silent   2026-10-06 10:00:00 – 12:00:00  1.4917 GPU-hours" in text


def test_a_pod_whose_image_is_missing(tmp_path) -> None:
    """Bound for the hour, never started: 1 GPU-hour starting, 2.00, nothing used."""
    price("2")
    Ground().node().hold("a", image_missing=True).card("GPU-1", busy=0.0).collected(tmp_path)
    (pod,) = told("ml/a").pods
    assert (pod.sums.starting_gpu_hours, pod.sums.starting_cost, pod.held[0].started.at) == (1, 2, None)
    assert pod.held[0].ended.at is None  # its last scrape is beyond what was read
    text = printed("ml/a")
    assert "no container that holds its GPUs was seen to start" in text and "still held where the data end" in text
    assert "starting 1.0000 (2.0000 CHF)" in text and "efficiency – · coverage –" in text


def test_the_rule_that_decides_and_where_it_stands(tmp_path) -> None:
    """The label says red until 10:29 and blue from 10:30 on; a rule of the namespace stands behind."""
    price("2")
    rule(0, "describe", name="red", cost_center="1")
    rule(1, "from_pod_label", label="team")
    rule(2, "match", name="rest", match={"namespace": "m*", "pod_label": {"app": "x*"}})
    fleet = Ground().node(**{GPU: 2}).hold("a").hold("b").card("GPU-1", "a").card("GPU-2", "b")
    who = {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"}
    fleet.put("kube_pod_labels", who | {"label_team": "red"}, 1, minutes(-20, 30)).put("kube_pod_labels", who | {"label_team": "blue"}, 1, minutes(30, 140))
    fleet.put("kube_pod_labels", {"namespace": "ml", "pod": "b", "uid": "uid-ml-b", "label_app": "xyz"}, 1)
    fleet.collected(tmp_path)
    charges = told("ml/a").pods[0].charges
    assert [(c.decided.team, c.decided.place, c.end - c.start, c.sums.cost, c.missing) for c in charges] == [
        ("red", 2, 1800, 1, 0),
        ("blue", 2, 1800, 1, 0),
    ]
    red = told("ml/a", teams=frozenset({"red"}))
    assert (red.sums.cost, red.teams, red.differences) == (1, ("red",), ())
    text = printed("ml/b")
    assert 'T1  rest: entry 3 of teams, namespace "m*" holds for ml and pod label app "x*" holds for xyz' in text
    assert "T1  red: entry 2 of teams, pod label team says red" in printed("ml/a")


def test_what_the_ledger_has_less_than_the_lease_is_said(tmp_path) -> None:
    """Two pods of one GPU on a node with one: each is scaled to a half."""
    price("2")
    Ground().node().hold("a").hold("b").collected(tmp_path)
    found = told("ml/a")
    assert [(c.expected, c.missing, c.sums.cost) for c in found.pods[0].charges] == [(1, D("0.5"), 1)]
    assert [d.kind for d in found.doubts] == ["over_committed"]
    assert "1 GPU × 1 h − 0.5000 = 0.5000 GPU-hours × 2.00 CHF = 1.00 CHF" in printed("ml/a")


def test_hours_without_a_price_are_no_zero(tmp_path) -> None:
    Ground().node().hold("a").card("GPU-1", "a").collected(tmp_path)
    found = told("ml/a")
    assert (found.sums.cost, found.pods[0].charges[0].applied, [d.kind for d in found.doubts]) == (None, None, ["unpriced"])
    text = printed("ml/a")
    assert "1 GPU × 1 h = 1.0000 GPU-hours, unpriced" in text and "1.0000 GPU-hours have no price" in text


def test_rates_and_rules_that_changed_since_are_told(tmp_path) -> None:
    price("2")
    Ground().node().hold("a").card("GPU-1", "a").collected(tmp_path)
    Rate.objects.update(price="5")
    rule(0, "match", name="late", match={"namespace": "ml"})
    (charge,) = told("ml/a").pods[0].charges
    assert (charge.price, charge.sums.cost, charge.decided.team) == (2, 2, "unassigned")
    assert charge.restated == ("the rates now give 5", "the rules now give the team late")
    assert "accounted before a change: the rates now give 5" in printed("ml/a")


def test_devices_of_two_models_are_two_charges(tmp_path) -> None:
    """One A100 at 3.00 and one T4 at 0.50 for an hour."""
    price("3", gpu_model="NVIDIA A100-SXM4-40GB")
    price("0.50", gpu_model="Tesla T4")
    fleet = Ground().node(**{GPU: 2}).hold("a", 2).card("GPU-1", "a").card("GPU-2", "a", model="Tesla T4")
    fleet.collected(tmp_path)
    found = told("ml/a")
    assert [(c.gpu_model, c.times, c.sums.cost, c.missing) for c in found.pods[0].charges] == [
        ("NVIDIA A100-SXM4-40GB", ((Fraction(1), 3600),), 3, 0),
        ("Tesla T4", ((Fraction(1), 3600),), D("0.50"), 0),
    ]
    assert found.pods[0].held[0].gpus == 2 and not found.differences


def test_the_ten_dearest_and_how_many_more(tmp_path) -> None:
    price("1")
    fleet = Ground().node(**{GPU: 12})
    for n in range(12):
        owned(fleet.hold(f"w-{n:02}", times=minutes(0, 5 * (n + 1))), f"w-{n:02}", "Job", "train")
    fleet.collected(tmp_path)
    short, whole = printed("ml/train"), printed("ml/train", all=True)
    assert "Pods (12), the 10 dearest" in short and "and 2 more: --all lists them" in short
    assert "w-11 " in short and "w-01 " not in short and "w-01 " in whole and "more: --all" not in whole


def test_json_has_every_digit_and_nulls(tmp_path) -> None:
    Ground().node().hold("a", image_missing=True).collected(tmp_path)
    found = json.loads(printed("ml/a", format="json"))
    assert (found["sums"]["cost"], found["sums"]["allocated_gpu_hours"], found["adds_up"]) == (None, "1.0000000000", True)
    (pod,) = found["pods"]
    assert pod["held"][0]["started"] == {"at": None, "told_by": "no container that holds its GPUs was seen to start"}
    assert pod["held"][0]["bound"]["at"] == "2026-10-06T09:40:00+00:00"
    assert (pod["charges"][0]["times"], pod["charges"][0]["applied"]) == ([{"gpus": "1.0000000000", "seconds": 3600}], None)


def test_several_jobs_of_one_name_and_none(tmp_path) -> None:
    price("1")
    fleet = owned(Ground().node(**{GPU: 2}).hold("train"), "x-1", "Job", "train")
    owned(fleet.hold("x-1"), "x-1", "Job", "train").collected(tmp_path)
    assert refused("ml/train") == "ml/train is 2 jobs; choose one: --cluster lab --kind Job; --cluster lab --kind Pod"
    assert told("ml/train", kind="Job").pods[0].name == "x-1"
    assert refused("ml/train", kind="CronJob").startswith("ml/train is not there by that cluster and kind; it is --cluster lab --kind Job")
    assert refused("ml/trian") == "no job ml/trian in the ledger; the nearest are ml/train"
    assert refused("train") == "'train': name the job as NAMESPACE/NAME, like ml/train"


def test_before_anything_is_collected() -> None:
    assert refused("ml/train") == "nothing is in the ledger yet; manage.py collect fetches it"


def test_a_reader_of_one_team_learns_nothing_of_others(tmp_path) -> None:
    price("1")
    rule(0, "from_pod_label", label="team")
    Ground().node(**{GPU: 2}).hold("a").hold("secret").labels("x").collected(tmp_path)
    with pytest.raises(Refused) as caught:
        told("ml/secret", teams=frozenset({"red"}))
    assert str(caught.value) == "no job ml/secret: the ledger has no job at all"
    assert told("ml/secret", teams=frozenset({"unassigned"})).sums.cost == 1


def test_lines_that_do_not_make_the_sum_say_by_how_much(tmp_path) -> None:
    """The day's roll-up has half a franc too much."""
    price("2")
    Ground().node().hold("a").card("GPU-1", "a").collected(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("update ledger_day set cost = cost + 0.5 from holding h where h.key = holding and h.job = 'a'")
    out = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("job", "ml/a", start="2026-10-06", end="2026-10-07", stdout=out)
    assert caught.value.code == 1
    assert "does not add up: cost is 2.0000000000 by the lines, 0.5000000000 less than 2.5000000000 by the query layer" in squeezed(out.getvalue())
