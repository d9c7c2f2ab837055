"""What is asked for, and what is typed in."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

from finops.accounting.rates import Asked
from finops.configuration.specs import RateSpec
from reports.pages.setup.price_rows import Row, read, rows

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def model(pool: str, kind: str, name: str, hours: str) -> SimpleNamespace:
    return SimpleNamespace(asked=Asked("eks", pool, "x.large", kind, name), gpu_hours=Decimal(hours))


def rate(price: str, **more: object) -> RateSpec:
    return RateSpec(**{"cluster": None, "node_pool": None, "instance_type": None, "capacity_type": None, "gpu_model": None,
                       "price": Decimal(price), "currency": "CHF"} | more)  # fmt: skip


MODELS = [model("a", "on-demand", "A100", "20"), model("b", "on-demand", "A100", "4"), model("", "spot", "T4", "3")]


def test_pools_of_one_model_share_a_row_and_a_price_may_reach_some_of_them() -> None:
    found = rows(MODELS, [rate("3.80", node_pool="a"), rate("9", gpu_model="T4", end=NOW)], now=NOW)
    assert found == [
        Row("A100", "on-demand", "a, b", Decimal(24), Decimal(4), ("CHF\u00a03.80",)),
        Row("T4", "spot", "eks", Decimal(3), Decimal(3), ()),
    ]


def test_typed_prices_become_rates_and_priced_rows_are_left_alone() -> None:
    asked = [Row("A100", "on-demand", "a", Decimal(24), Decimal(0), ("CHF\u00a03.80",)), Row("T4", "spot", "eks", Decimal(3), Decimal(3), ())]
    posted = {"price-0": "1", "model-0": "A100", "kind-0": "on-demand", "price-1": " 0.60 ", "model-1": "T4", "kind-1": "spot"}
    found, wrong = read(posted, asked, currency="EUR")
    assert wrong == {}
    assert [(r.gpu_model, r.capacity_type, r.price, r.currency, r.start) for r in found] == [("T4", "spot", Decimal("0.60"), "EUR", None)]


def test_each_wrong_price_has_its_row() -> None:
    asked = [Row(name, "spot", "", Decimal(1), Decimal(1), ()) for name in ("A100", "T4", "H100")]
    posted = {f"{key}-{n}": value for n, row in enumerate(asked) for key, value in (("model", row.gpu_model), ("kind", "spot"))}
    found, wrong = read(posted | {"price-0": "-1", "price-2": "1e3"}, asked, currency="CHF")
    assert found == [] and sorted(wrong) == [0, 2]
    assert "must be 0 or above" in wrong[0] and "is not a decimal number" in wrong[2]
