"""The explanation as JSON."""

import json
from decimal import Decimal

from finops.job.as_json import as_json
from tests.unit.finops.job.told import Difference, charge, explanation, pod, row


def test_decimals_are_strings_instants_are_local_and_what_is_missing_is_null() -> None:
    found = json.loads(json.dumps(as_json(explanation())))
    assert (found["begun"], found["start"], found["teams"], found["adds_up"]) == ("2026-10-06T12:00:00+02:00",) * 2 + (["fraud"], True)
    assert (found["sums"]["cost"], found["sums"]["efficiency"], found["sums"]["energy_kwh"]) == ("11.4", 0.4, None)
    (one,) = found["pods"]
    assert (one["held"][0]["gpus"], one["held"][0]["started"]["at"]) == ("2.0000000000", "2026-10-06T12:15:00+02:00")
    (span,) = one["charges"]
    assert (span["price"], span["times"]) == ("3.8", [{"gpus": "2.0000000000", "seconds": 5400}])
    assert (span["applied"]["selector"], span["applied"]["exchange"], span["applied"]["end"]) == ({"gpu_model": "Tesla T4"}, None, None)
    assert span["decided"] == {"team": "fraud", "place": 2, "kind": "match", "matched": ['namespace "fraud-*" holds for fraud-lab']}


def test_no_price_is_null_and_differences_are_told() -> None:
    nothing = row(allocated="1", unpriced="1", cost=None)
    told = explanation(pods=(pod(charges=(charge(price=None, applied=None, sums=nothing),)),), differences=(Difference("cost", Decimal(1), None),))
    found = as_json(told)
    assert found["adds_up"] is False and found["differences"] == [{"name": "cost", "queried": "1", "lines": None}]
    assert found["pods"][0]["charges"][0]["sums"]["cost"] is None  # type: ignore[index]


def test_figures_that_a_job_cannot_have_are_left_out() -> None:
    sums = as_json(explanation())["sums"]
    assert isinstance(sums, dict) and not {"unallocated_gpu_hours", "capacity_gpu_hours", "distributed_cost"} & sums.keys()
