"""The page for a terminal."""

from dataclasses import replace
from decimal import Decimal

import pytest

from finops.job.text import WIDTH, text
from tests.unit.finops.job.told import AT, RATE, TEN, Difference, Doubt, Gap, Run, charge, device, explanation, pod, row

D = Decimal

WHOLE = """\
fraud-lab/job · Job in cluster lab
2026-10-06 12:00:00 – 13:30:00 Europe/Zurich · all the ledger has of it · 1 pod · team fraud

                     GPU-hours             CHF     part
  used                  1.0000          3.8000   33.3 %  ████████
  idle                  1.5000          5.7000   50.0 %  ████████████
  starting              0.5000          1.9000   16.7 %  ████
  unmeasured            0.0000          0.0000    0.0 %
  allocated             3.0000         11.4000

  efficiency 40.0 % · coverage 100.0 % · 3.80 CHF per allocated GPU-hour · 3.80 CHF per used
  GPU-hour

Prices
  R1  3.80 CHF per GPU-hour for gpu_model Tesla T4, from 2026-01-01 01:00

Whose it is
  T1  fraud: entry 2 of teams, namespace "fraud-*" holds for fraud-lab

Pods (1)

  1. a · 11.40 CHF · 3.0000 GPU-hours
     uid uid-a
     holds    2 × nvidia_com_gpu = 2 GPUs on n1, pool pool, spot
     bound    2026-10-06 12:00:00  bound series
     started  2026-10-06 12:15:00  start series
     ended    2026-10-06 13:30:00  end series
     charged  2026-10-06 12:00:00 – 13:30:00  Tesla T4  [R1 T1], user ann
              2 GPUs × 1 h 30 min = 3.0000 GPU-hours × 3.80 CHF = 11.40 CHF
              used 1.0000 (3.8000 CHF), idle 1.5000 (5.7000 CHF), starting 0.5000 (1.9000 CHF)
     devices                      source                     measured h       of     busy   samples
              GPU-1               GR_ENGINE_ACTIVE                 1.25     1.50   40.0 %        90

2 ledger lines of 1 pod add up to 3 GPU-hours and 11.4 CHF, to the last digit what manage.py costs
says. Figures above are rounded."""


def test_the_whole_page() -> None:
    """Efficiency 1 ÷ 2.5; per used GPU-hour (3.80 + 5.70) ÷ 2.5 = 3.80."""
    assert text(explanation()) == WHOLE


@pytest.mark.parametrize("everything", [False, True])
def test_no_line_is_wider_than_the_terminal(everything: bool) -> None:
    long = "x" * 63
    pods = tuple(pod(f"{long}-{n}", devices=(device(uuid=f"GPU-{long}", rejected=9, inferred=True, frozen=True),)) for n in range(12))
    runs = (Run(long, AT, AT + 60, 1, row(allocated="1000000", cost="123456.78")),)
    doubts = (Doubt("frozen_profiling", "GPU-1", f"GPU-1 {'says so ' * 20}", 3, TEN, TEN),)
    page = text(explanation(name=long, pods=pods, runs=runs, doubts=doubts), everything=everything)
    assert max(map(len, page.splitlines())) <= WIDTH


def test_the_ten_dearest_unless_all_are_asked_for() -> None:
    told = explanation(pods=tuple(pod(f"p{n}") for n in range(12)))
    assert "Pods (12), the 10 dearest" in text(told) and "and 2 more: --all lists them" in text(told)
    assert "p11" not in text(told) and "p11" in text(told, everything=True)


def test_a_second_price_is_numbered_and_told_once() -> None:
    spans = (charge(end=AT + 60), charge(start=AT + 60, applied=replace(RATE, entered=D(5), price=D(5))), charge(start=AT + 90))
    page = text(explanation(pods=(pod(charges=spans),)))
    assert page.count("\n  R") == 2 and "[R2 T1]" in page and page.count("[R1 T1]") == 2


def test_marks_of_devices() -> None:
    cards = (
        device(share=0.25, estimated=True, beside=2, uuid="GPU-2"),
        device(share=1 / 7, instance="9", uuid="GPU-547399df-6caa-4e1b"),
        device(frozen=True, inferred=True, rejected=1, source="mixed"),
        device(measured_seconds=0.0, busy_gpu_seconds=0.0, source="none", samples=0),
    )
    page = " ".join(text(explanation(pods=(pod(devices=cards),))).split())
    assert "estimated: holds 0.25 of this board beside 2 other pods; its busy time is shared out" in page
    assert "GPU-547399df-6ca…/9" in page and "holds 0.1429 of this board" in page
    assert "inferred: no series names the pod, it was told by elimination; profiling was frozen, GPU_UTIL taken instead; 1 sample rejected" in page
    assert "not measured 0.00 1.50 – 0" in page


def test_gaps_worth_looking_for() -> None:
    """Three of four, by time; ten seconds at a pod's start are none."""
    gaps = tuple(Gap(AT + 7200 * n, AT + 7200 * n + 3600, D(hours)) for n, hours in enumerate(("0.0028", "0.5", "0.25", "0.75", "0.125")))
    page = text(explanation(pods=(pod(unmeasured=gaps),)))
    told = [line.split("  ")[-1] for line in page.splitlines() if "silent" in line]
    assert told == ["0.5000 GPU-hours unmeasured", "0.2500 GPU-hours unmeasured", "0.7500 GPU-hours unmeasured"]
    assert "and 1 shorter:" in page and "0.0028" not in text(explanation(pods=(pod(unmeasured=gaps),)), everything=True)


def test_what_changed_since_and_what_is_less_than_the_lease() -> None:
    spans = (charge(missing=D("0.5"), restated=("the rates now give 5",)),)
    page = " ".join(text(explanation(pods=(pod(charges=spans),))).split())
    assert "the ledger has 0.5000 less than the lease" in page and "accounted before a change: the rates now give 5" in page


def test_unpriced_hours_are_told_beside_the_money() -> None:
    nothing = row(allocated="2", used="2", unpriced="2", cost=None, used_cost=None, idle_cost=None, starting_cost=None, unmeasured_cost=None)
    page = text(explanation(sums=nothing, pods=(pod(sums=nothing, charges=(charge(price=None, applied=None, sums=nothing),)),)))
    assert "2.0000 GPU-hours have no price and are not in the money" in page and "Prices" not in page
    assert "1. a · unpriced · 2.0000 GPU-hours" in page and "GPU-hours and no money" in page


def test_incomplete_hours_and_findings() -> None:
    doubts = (Doubt("over_committed", "n1", "too much", 3, TEN, TEN), Doubt("unpriced", "m", "no rate", 1, TEN, TEN))
    gone = ({"cluster": "lab", "start": "2026-10-06T12:00:00+02:00", "end": "", "state": "failed", "reason": "refused"},)
    page = text(explanation(doubts=doubts, more_doubts=True, incomplete=gone))
    assert "Findings (2 or more)" in page and "over_committed: too much (2026-10-06 12:00 … 2026-10-06 12:00, 3 hours)" in page
    assert "1 hour of the window without complete data, the first 2026-10-06T12:00:00+02:00 (refused)" in page


@pytest.mark.parametrize(
    ("queried", "lines", "right"),
    [
        (D("2.5"), D(2), "does not add up: cost is 2 by the lines, 0.5 less than 2.5 by the query layer"),
        (D(2), D("2.5"), "does not add up: cost is 2.5 by the lines, 0.5 more than 2 by the query layer"),
        (None, D(2), "does not add up: cost is 2 by the lines, none by the query layer"),
    ],
)
def test_a_difference_says_by_how_much(queried: Decimal | None, lines: Decimal, right: str) -> None:
    page = text(explanation(differences=(Difference("cost", queried, lines),)))
    assert page.splitlines()[-1] == right and "add up to" not in page
