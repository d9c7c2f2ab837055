"""What a GPU-hour costs."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from finops import pipeline
from finops.accounting.calendar import hours, midnight
from finops.accounting.charge import Hold, Pool, charge
from finops.accounting.rates import Asked, Rate, in_force
from finops.models import ExchangeRate
from tests.cases_opencost.ground import A100, GPU, HOUR, PER_DAY, TEN, WHOLE, Ground, bill, cluster, kinds, price, rows

D = Decimal
MIDNIGHT, ZURICH = datetime(2026, 10, 6, 12, tzinfo=UTC), ZoneInfo("Europe/Zurich")
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("amount", "more"),
    [
        pytest.param("1", {"instance_type": "n1-standard-4"}, id="OC-43"),
        pytest.param("3", {"instance_type": "n1-standard-4"}, id="OC-44"),
        pytest.param("1", {}, id="OC-45"),
        pytest.param("0.95", {}, id="OC-46"),
    ],
)
def test_a_price_is_taken_as_it_was_given(amount: str, more: dict[str, str], tmp_path) -> None:
    price(amount, **more)
    Ground().node().node_labels(node_kubernetes_io_instance_type="n1-standard-4").hold("a").collected(tmp_path)
    total = bill().total
    assert (total.cost, total.cost_per_allocated_gpu_hour) == (D(amount), D(amount))


@pytest.mark.parametrize("sku", ["a2-ultragpu-1g", "g2-standard-4", "a3-highgpu-8g", "Standard_NC8as_T4_v3", "Standard NC8as T4 v3"])
def test_an_unknown_machine_is_unpriced_never_free(sku: str, tmp_path) -> None:  # OC-47
    price("3", instance_type="a2-highgpu-1g")
    Ground().node().node_labels(node_kubernetes_io_instance_type=sku).hold("a").collected(tmp_path)
    total = bill().total
    assert (total.cost, total.allocated_gpu_hours, total.sums["unpriced"]) == (None, 1, 1)
    assert kinds() == ["unpriced"]


def test_one_node_without_a_price_hides_no_other(tmp_path) -> None:  # OC-48
    price("2", node_pool="known")
    fleet = Ground()
    for n in range(10):
        fleet.node(f"n{n}").node_labels(f"n{n}", karpenter_sh_nodepool="known" if n else "new").hold(f"p{n}", node=f"n{n}")
    fleet.collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n0": None} | {f"n{n}": 2 for n in range(1, 10)}
    assert (bill().total.cost, bill().total.sums["unpriced"]) == (18, 1)
    assert kinds() == ["unpriced"]


@pytest.mark.parametrize("amount", ["379803229", "1000.01", "-2", "NaN"])
def test_a_price_that_cannot_be_is_refused_with_its_line(amount: str, tmp_path) -> None:  # OC-49
    (tmp_path / "prices.csv").write_text(f"gpu_model,price,currency\nNVIDIA A100-SXM4-40GB,{amount},CHF\n")
    with pytest.raises(CommandError, match="prices.csv: line 2: .*price"):
        call_command("import-rates", str(tmp_path / "prices.csv"))


def test_each_pool_has_its_own_rate(tmp_path) -> None:  # OC-50
    fleet = Ground()
    for node, model, amount in (("n1", "NVIDIA A40", "1.28"), ("n2", "NVIDIA RTX A6000", "1.10"), ("n3", "NVIDIA GeForce RTX 3090", "0.40")):
        price(amount, gpu_model=model)
        fleet.node(node).hold(f"p-{node}", node=node).card(f"GPU-{node}", f"p-{node}", model=model, node=node)
    fleet.collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n1": D("1.28"), "n2": D("1.10"), "n3": D("0.40")}


def test_a_month_with_a_price_change_is_the_same_whenever_it_is_made() -> None:  # OC-51
    change, may = (midnight(day, zone=ZURICH) for day in (date(2026, 3, 24), date(2026, 5, 1)))
    rates = [Rate(D(90), end=change), Rate(D(100), start=change)]

    def march(book: list[Rate]) -> Decimal:
        cost = D(0)
        for start, end in hours(midnight(date(2026, 3, 1), zone=ZURICH), midnight(date(2026, 4, 1), zone=ZURICH), zone=ZURICH):
            spans = in_force(book, Asked("c", "", "", "", A100), start=start, end=end)
            prices = [(int(s.start.timestamp()), int(s.end.timestamp()), s.price) for s in spans]
            a, b = prices[0][0], prices[-1][1]
            lines, _ = charge(Pool(1, a, b), [Hold("a", Fraction(1), a, a, b, {}, {})], prices, [(q, q + 900) for q in range(a, b, 900)])
            cost += sum((sum(line.costs.values()) for line in lines), D(0))
        return cost

    # 23 days of 24 hours at 90, then 8 days at 100 of which the 29th has 23.
    assert march(rates) == 552 * 90 + 191 * 100 == 68780
    assert march([rates[0], Rate(D(100), start=change, end=may), Rate(D(110), start=may)]) == 68780


def test_a_new_price_leaves_the_hours_before_it(tmp_path) -> None:  # OC-51
    price("90", end=TEN + HOUR), price("100", start=TEN + HOUR)
    row = Ground().node().hold("a").collected(tmp_path, hours=(0, 1))
    assert [bill(first=hour).total.cost for hour in (0, 1)] == [90, 100]
    price("500", start=TEN + timedelta(days=30))
    pipeline.account(row, start=TEN, end=TEN + 2 * HOUR)
    assert [bill(first=hour).total.cost for hour in (0, 1)] == [90, 100]


def test_a_price_change_at_noon_divides_the_day(tmp_path) -> None:  # OC-52
    noon = TEN + timedelta(hours=12)
    price("2.00", end=noon), price("3.00", start=noon)
    cluster(interval=300)
    fleet = Ground().node(times=PER_DAY).hold("a", times=range(0, 43500, 300), completed=43200, phase="Succeeded")
    fleet.hold("b", times=range(43200, 86400 + 1200, 300)).collected(tmp_path, hours=range(24))
    assert {pod: row.cost for pod, row in rows("pod", hours=24).items()} == {"a": 24, "b": 36}


def test_a_price_change_inside_an_hour_divides_the_hour(tmp_path) -> None:  # OC-52
    change = TEN + timedelta(minutes=15)
    price("2.00", end=change), price("3.00", start=change)
    Ground().node().hold("a").collected(tmp_path)
    assert bill().total.cost == D("2.75")


def test_a_discount_is_a_rate_and_reaches_the_gpu(tmp_path) -> None:  # OC-53
    price("2.00"), price("1.40", node_pool="fraud")
    Ground().node().node_labels(karpenter_sh_nodepool="fraud").hold("a").collected(tmp_path)
    assert bill().total.cost == D("1.40")


def test_a_price_of_a_list_is_of_one_gpu(tmp_path) -> None:  # OC-54
    (tmp_path / "prices.csv").write_text("gpu_model,price,currency\nNVIDIA A100-SXM4-40GB,2.00,CHF\n")
    call_command("import-rates", str(tmp_path / "prices.csv"))
    fleet = Ground().node(**{GPU: 8}).hold("a", 8)
    for n in range(8):
        fleet.card(f"GPU-{n}", "a")
    fleet.collected(tmp_path)
    assert bill().total.cost == 16


def test_spot_and_on_demand_have_each_their_own(tmp_path) -> None:  # OC-55
    price("0.308", capacity_type="spot"), price("0.95", capacity_type="on-demand")
    fleet = Ground().node("n1").node("n2").hold("a").hold("b", node="n2")
    fleet.node_labels("n1", cloud_google_com_gke_spot="true").node_labels("n2").collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n1": D("0.308"), "n2": D("0.95")}


@pytest.mark.parametrize("second", [pytest.param("a", id="OC-56 after"), pytest.param("z", id="OC-56 before")])
def test_a_second_series_of_the_node_without_labels_changes_nothing(second: str, tmp_path) -> None:
    price("2.00", instance_type="g5.2xlarge", node_pool="gpu")
    told = {"label_node_kubernetes_io_instance_type": "g5.2xlarge", "label_karpenter_sh_nodepool": "gpu"}
    both = [{"instance": "m"} | told, {"instance": second}]
    fleet = Ground().node().hold("a")
    for labels in both if second == "a" else reversed(both):
        fleet.put("kube_node_labels", {"node": "n1"} | labels, 1)
    fleet.put("kube_node_status_capacity", {"node": "n1", "resource": GPU, "unit": "integer", "instance": second}, 1).collected(tmp_path)
    assert (bill().total.cost, bill().total.capacity_gpu_hours) == (2, 1)


def test_a_scraped_price_that_jumps_moves_nothing(tmp_path) -> None:  # OC-57
    price("2.00")
    fleet = Ground().node().hold("a").put("node_gpu_hourly_cost", {"node": "n1"}, 2.0, [t for t in WHOLE if t != 1800])
    fleet.put("node_gpu_hourly_cost", {"node": "n1"}, 2000.0, [1800]).collected(tmp_path)
    assert bill().total.cost == 2


def test_another_currency_is_converted_at_its_dated_rate(tmp_path) -> None:  # OC-58
    price("300", currency="USD")
    ExchangeRate.objects.create(currency="USD", rate="0.80", start=TEN - timedelta(days=1))
    ExchangeRate.objects.create(currency="USD", rate="0.90", start=TEN + HOUR)
    Ground().node().hold("a").collected(tmp_path, hours=(0, 1))
    assert [bill(first=hour).total.cost for hour in (0, 1)] == [240, 270]
    assert bill().currency == "CHF"


def test_a_currency_without_a_rate_is_an_error(tmp_path) -> None:  # OC-59
    price("300", currency="USD")
    with pytest.raises(ValueError, match="rate in USD has no exchange rate to CHF; add one under exchange_rates"):
        Ground().node().hold("a").collected(tmp_path)


def test_before_the_first_exchange_rate_there_is_no_cost(tmp_path) -> None:  # OC-59
    price("300", currency="USD")
    ExchangeRate.objects.create(currency="USD", rate="0.90", start=TEN + HOUR)
    Ground().node().hold("a").collected(tmp_path, hours=(0, 1))
    assert [bill(first=hour).total.cost for hour in (0, 1)] == [None, 270]
    both = bill(hours=2).total
    assert (both.cost, both.sums["unpriced"], kinds()) == (270, 1, ["unpriced"])
