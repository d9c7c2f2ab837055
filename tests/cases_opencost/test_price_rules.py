"""Which price holds, from when to when, and what is said where there is none."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from finops.models import ExchangeRate
from finops.quality import findings
from finops.scope import Window
from tests.cases_opencost.ground import A100, HOUR, TEN, Ground, bill, kinds, price, rows

D = Decimal
KEYS = {"cluster": "lab", "node_pool": "gpu", "instance_type": "x.large", "capacity_type": "spot", "gpu_model": A100}
pytestmark = pytest.mark.django_db


def spot() -> Ground:
    """A spot node that has every key of a rate, and a pod on its one card."""
    labels = {"karpenter_sh_nodepool": "gpu", "node_kubernetes_io_instance_type": "x.large", "karpenter_sh_capacity_type": "spot"}
    return Ground().node().node_labels(**labels).hold("a").card("GPU-1", "a")


def of_type(kind: str, node: str = "n1") -> Ground:
    return Ground().node(node).node_labels(node, karpenter_sh_capacity_type=kind).hold("a", node=node)


def messages() -> list[str]:
    """Save that no exporter stands on the ground."""
    return [doubt.finding.message for doubt in findings(Window(TEN, TEN + HOUR)) if doubt.finding.kind != "silent_exporter"]


def test_a_price_changes_to_the_second(tmp_path) -> None:
    """At 10:17:41, after 1061 of 3600 s: 0.2947222222 h × 2.00 = 0.5894444444, the other 0.7052777778 h × 3.00 = 2.1158333334."""
    change = TEN + timedelta(minutes=17, seconds=41)
    price("2.00", end=change), price("3.00", start=change)
    spot().collected(tmp_path)
    assert bill().total.cost == D("2.7052777778")


def test_a_gap_between_two_prices_is_unpriced_to_the_second(tmp_path) -> None:
    """2.00 until 10:30:00, 3.00 from 10:45:00: 1.00 + 0.75, and 900 s without a price."""
    price("2.00", end=TEN + timedelta(minutes=30)), price("3.00", start=TEN + timedelta(minutes=45))
    spot().collected(tmp_path)
    total = bill().total
    assert (total.cost, total.sums["unpriced"], total.allocated_gpu_hours, kinds()) == (D("1.75"), D("0.25"), 1, ["unpriced"])


@pytest.mark.parametrize("place", range(4))
def test_the_first_key_that_only_one_of_two_names_decides(place: int, tmp_path) -> None:
    """In the order cluster, node pool, instance type, capacity type, model: one key beats all that follow together."""
    names = list(KEYS)
    price("1", **{names[place]: KEYS[names[place]]})
    price("2", **{name: KEYS[name] for name in names[place + 1 :]})
    spot().collected(tmp_path)
    assert bill().total.cost == 1


def test_equal_first_keys_leave_the_word_to_the_next(tmp_path) -> None:
    price("1", node_pool="gpu", capacity_type="spot"), price("2", node_pool="gpu", gpu_model=A100), price("3", gpu_model=A100)
    spot().collected(tmp_path)
    assert bill().total.cost == 1


def test_a_more_specific_price_holds_for_its_time_only(tmp_path) -> None:
    """2.00 but for the second quarter of the hour, which is a special offer at 1.00: 0.5 + 0.25 + 1.0."""
    price("2.00"), price("1.00", node_pool="gpu", start=TEN + timedelta(minutes=15), end=TEN + timedelta(minutes=30))
    spot().collected(tmp_path)
    assert bill().total.cost == D("1.75")


@pytest.mark.parametrize(("kind", "cost"), [("on-demand", 4), ("spot", 1), ("reserved", 2)])
def test_on_demand_spot_and_reserved(kind: str, cost: int, tmp_path) -> None:
    price("4", capacity_type="on-demand"), price("1", capacity_type="spot"), price("2", capacity_type="reserved")
    of_type(kind).collected(tmp_path)
    assert bill().total.cost == cost


def test_a_node_that_tells_no_capacity_type_is_on_demand(tmp_path) -> None:
    price("4", capacity_type="on-demand"), price("1", capacity_type="spot")
    Ground().node().hold("a").collected(tmp_path)
    assert bill().total.cost == 4


def test_the_price_of_one_capacity_type_is_no_price_of_another(tmp_path) -> None:
    price("1", capacity_type="spot")
    of_type("reserved").collected(tmp_path)
    assert (bill().total.cost, messages()) == (None, ["no rate for reserved GPUs of unknown model; add one under rates"])


def test_a_discount_of_one_pool_reaches_its_gpus_alone(tmp_path) -> None:
    """30 % off a list price of 2.00 is 1.40, for the pool that has it; half of a board costs half of that."""
    price("2.00", gpu_model=A100), price("1.40", gpu_model=A100, node_pool="fraud")
    fleet = Ground()
    for node, pool in (("n1", "fraud"), ("n2", "other")):
        fleet.node(node).node_labels(node, karpenter_sh_nodepool=pool).hold(f"p-{node}", node=node).card(f"GPU-{node}", f"p-{node}", node=node)
    fleet.collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n1": D("1.40"), "n2": 2}


def dollars(amount: str = "300", *, first: int, then: int | None = None, **more) -> None:
    """A price in USD, worth 0.80 from `first` minutes after ten on, 0.90 from `then`."""
    price(amount, currency="USD", **more)
    ExchangeRate.objects.create(currency="USD", rate="0.80", start=TEN + timedelta(minutes=first))
    if then is not None:
        ExchangeRate.objects.create(currency="USD", rate="0.90", start=TEN + timedelta(minutes=then))


def test_an_exchange_rate_that_changes_inside_an_hour_divides_it(tmp_path) -> None:
    """A quarter of the hour at 300 × 0.80, three quarters at 300 × 0.90: 60 + 202.50."""
    dollars(first=-60, then=15)
    spot().collected(tmp_path)
    assert bill().total.cost == D("262.50")


def test_before_the_first_exchange_rate_of_the_hour_there_is_no_cost(tmp_path) -> None:
    """Three quarters at 240, the first one without a price; the finding names the currency."""
    dollars(first=15)
    spot().collected(tmp_path)
    total = bill().total
    assert (total.cost, total.sums["unpriced"], kinds()) == (180, D("0.25"), ["unpriced"])
    assert messages() == [
        f"the rate for spot {A100} in node pool gpu is in USD, which has no exchange rate yet at that time; add one under exchange_rates"
    ]


def test_a_less_specific_price_does_not_stand_in_for_a_missing_exchange_rate(tmp_path) -> None:
    """What the pool costs is 300 USD; that any GPU costs 5 CHF says nothing of it."""
    price("5")
    dollars(first=60, node_pool="gpu")
    spot().collected(tmp_path, hours=(0, 1))
    assert [bill(first=hour).total.cost for hour in (0, 1)] == [None, 240]


def said(tmp_path: Path, command: str, text: str, *more: str) -> list[str]:
    out = StringIO()
    (tmp_path / "file").write_text(text)
    call_command(command, str(tmp_path / "file"), *more, stdout=out)
    return [line.removeprefix(f"{tmp_path}/") for line in out.getvalue().splitlines()]


def test_an_absurd_price_is_named_with_its_line_and_taken(tmp_path) -> None:  # OC-49
    """A decimal point was forgotten: an A100 is listed at 2.74 to 3.67 USD, 8 of them in a p4d.24xlarge at 21.96."""
    lines = said(tmp_path, "apply", f'currency: USD\nrates:\n  - {{gpu_model: "{A100}", price: "380", currency: USD}}\n')
    assert lines[1] == f"rate {A100} 380.00 USD: added"
    assert lines[2].startswith(f"file: line 3: rates[0].price: 380 USD per GPU-hour is more than 10 times the list price of {A100} (2.74 to 3.67 USD); check")
    spot().collected(tmp_path)
    assert bill().total.cost == 380


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_price_of_zero_in_a_price_list_is_named(more: tuple[str, ...], tmp_path) -> None:
    lines = said(tmp_path, "import-rates", "gpu_model,price,currency\nTesla T4,0,CHF\nNVIDIA L4,0.70,CHF\n", *more)
    assert len(lines) == 3
    assert lines[2].startswith("file: line 2: rates[0].price: is 0: these GPUs cost nothing; leave the rate out")


def test_a_price_of_zero_costs_nothing_and_is_no_missing_price(tmp_path) -> None:
    price("0")
    spot().collected(tmp_path)
    assert (bill().total.cost, bill().total.sums["unpriced"], kinds()) == (0, 0, [])


def test_a_file_without_doubts_says_none(tmp_path) -> None:
    text = 'currency: CHF\nrates:\n  - {gpu_model: Tesla T4, price: "0.60", currency: CHF}\n'
    assert said(tmp_path, "apply", text) == ["rate Tesla T4 0.60 CHF: added"]
    assert said(tmp_path, "apply", text) == ["nothing to change"]
