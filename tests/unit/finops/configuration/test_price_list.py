"""A price list as CSV: every error with its line, all of them at once."""

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from finops.configuration.price_list import parse
from finops.configuration.problems import Invalid
from finops.configuration.specs import WeightsSpec


def errors(text: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        parse(text, zone=UTC)
    return [str(problem) for problem in caught.value.errors]


def test_cells_become_rates_and_empty_ones_are_absent() -> None:
    text = "\ufeffgpu_model,capacity_type,price,currency,from,until\r\n\"Tesla T4\",,0.60,CHF,2026-01-01,\r\n\r\nT4,spot,0.2,CHF,,2026-07-01\r\n"
    first, second = parse(text, zone=ZoneInfo("Europe/Zurich"))
    assert (first.gpu_model, first.capacity_type, first.price, first.currency, first.end) == ("Tesla T4", None, Decimal("0.60"), "CHF", None)
    assert first.start == datetime(2025, 12, 31, 23, tzinfo=UTC) and first.line == 2
    assert (second.capacity_type, second.start, second.line) == ("spot", None, 4)
    assert second.end == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_the_price_of_an_instance_and_its_weights_have_columns() -> None:
    text = "instance_type,gpu_model,price,instance_price,weights.gpu,weights.cpu,weights.memory,currency\n"
    text += "g4dn.xlarge,,,0.526,0.95,1.25,0.5,USD\np4d.24xlarge,,,21.957642,,0,,USD\n,Tesla T4,0.60,,,,,CHF\n"
    whole, partly, gpu = parse(text, zone=UTC)
    assert (whole.instance_type, whole.price, whole.instance_price) == ("g4dn.xlarge", None, Decimal("0.526"))
    assert whole.weights == WeightsSpec(gpu=Decimal("0.95"), cpu=Decimal("1.25"), memory=Decimal("0.5"))
    assert partly.weights == WeightsSpec(cpu=Decimal(0)) and (gpu.price, gpu.instance_price, gpu.weights) == (Decimal("0.60"), None, None)


def test_a_wrong_weight_is_told_with_its_line() -> None:
    assert errors("node_pool,instance_price,weights.gpu,currency\ngpu,8,heavy,CHF\n") == [
        "line 2: rates[0].weights.gpu: 'heavy' is not a decimal number; write it like \"3.80\""
    ]
    assert errors("gpu_model,instance_price,currency\nT4,8,CHF\n") == [
        "line 2: rates[0]: an instance_price needs an instance_type or a node_pool to say whose it is"
    ]


def test_semicolons_and_tabs_separate_too() -> None:
    for separator in ";\t":
        (rate,) = parse(f"price{separator}currency\n1.5{separator}EUR\n", zone=UTC)
        assert (rate.price, rate.currency, rate.gpu_model) == (Decimal("1.5"), "EUR", None)


def test_every_error_of_the_file_is_told_with_its_line() -> None:
    text = 'gpu_model,price,currency,from\nT4,"0,60",CHF,2026-01-01\nV100,1.2,chf,\nA10G,1,CHF\n,-1,CHF,soon\n'
    found = errors(text)
    assert found[0] == "line 2: rates[0].price: '0,60' is not a decimal number; write it like \"3.80\""
    assert "line 3: rates[1].currency: 'chf' is not a currency code" in found[1]
    assert found[2] == "line 4: 3 cells where the header has 4; quote a value that holds the separator"
    assert [line.split(":")[0] for line in found] == ["line 2", "line 3", "line 4", "line 5", "line 5"]


def test_overlaps_are_refused_as_in_the_configuration_file() -> None:
    text = "gpu_model,price,currency,from,until\nNVIDIA T4,1,CHF,2026-01-01,2026-07-01\nTesla-T4,2,CHF,2026-06-30,\nT4,2,CHF,2027-01-01,\n"
    assert errors(text) == [
        "line 3: rates[1]: applies to the same GPUs at the same time as the rate on line 2; end one with until or remove it",
        "line 4: rates[2]: applies to the same GPUs at the same time as the rate on line 3; end one with until or remove it",
    ]


def test_the_header_is_required() -> None:
    assert "line 1: unknown column 'T4'; the header is cluster,node_pool," in errors("T4,price,currency\n")[0]
    assert errors("gpu_model,price\nT4,1\n")[0].startswith("line 1: the column currency is missing; the header is cluster,")
    assert "did you mean 'price'" in errors("prise,currency\n1,CHF\n")[0]
    assert errors("price,price,currency\n1,1,CHF\n")[0] == "line 1: the column price stands there more than once; remove one"
    assert errors("") == ["line 1: the column price or instance_price and currency is missing; the header is "
                          "cluster,node_pool,instance_type,capacity_type,gpu_model,price,instance_price,weights.gpu,weights.cpu,weights.memory,currency,from,until"]  # fmt: skip
    assert errors("price,currency\n") == ["line 1: no rate follows the header; write one per line"]


def test_an_open_quotation_mark_is_one_line() -> None:
    (line,) = errors('price,currency\n"1,CHF\n')
    assert line.startswith("line 2: not CSV: ") and line.endswith("close every quotation mark")
