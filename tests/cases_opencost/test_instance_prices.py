"""The price of a whole instance, and what of it a GPU-hour costs."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command

from finops.apply import apply
from finops.configuration.export import dump
from finops.configuration.schema import parse
from finops.export import configuration
from finops.models import ExchangeRate, Rate
from finops.quality import findings
from finops.scope import Window
from finops.times import now
from tests.cases_opencost.ground import GPU, HOUR, TEN, WHOLE, Ground, bill, kinds, price, rows

D = Decimal
GIB = 2**30
pytestmark = pytest.mark.django_db


class Machines(Ground):
    def machine(self, name: str = "n1", kind: str = "x.large", *, gpus: int = 1, cpus: float | None = 4, gib: float | None = 16,
                times=WHOLE, **labels: str) -> "Machines":  # fmt: skip
        """A node of an instance type with its size as kube-state-metrics tells it."""
        self.node(name, **{GPU: gpus}).node_labels(name, node_kubernetes_io_instance_type=kind, **labels)
        for resource, unit, value in (("cpu", "core", cpus), ("memory", "byte", gib and gib * GIB)):
            if value is not None:
                self.put("kube_node_status_capacity", {"node": name, "resource": resource, "unit": unit}, value, times)
        return self


def instance(amount: str, kind: str = "x.large", **more) -> Rate:
    return price(None, instance_price=amount, **{"instance_type": kind} | more)


def test_the_gpu_part_is_below_the_instances_price_whatever_replicas_there_are(tmp_path) -> None:  # OC-41
    """1.35296 × 0.95 ÷ (0.95 + 8 × 0.031611 + 30.994 × 0.004237) = 0.9633509017, half of it for each of two slots."""
    instance("1.35296", "g5.2xlarge")
    fleet = Machines().machine("n1", "g5.2xlarge", gpus=2, cpus=8, gib=30.994, nvidia_com_gpu_count="1", nvidia_com_gpu_replicas="2")
    fleet.hold("a").card("GPU-1", "a").collected(tmp_path)
    total = bill().total
    assert (total.cost, total.capacity_gpu_hours) == (D("0.9633509017"), 1)
    assert rows("pod")["a"].cost in (D("0.4816754508"), D("0.4816754509"))


def test_weights_of_ones_own_through_a_price_list(tmp_path) -> None:  # OC-42
    """0.526 × 0.95 ÷ (0.95 + 4 × 1.25 + 15.3246 × 0.5) = 0.0367094466."""
    (tmp_path / "prices.csv").write_text(
        "instance_type,instance_price,weights.gpu,weights.cpu,weights.memory,currency\ng4dn.xlarge,0.526,0.95,1.25,0.5,CHF\n"
    )
    call_command("import-rates", str(tmp_path / "prices.csv"))
    Machines().machine(kind="g4dn.xlarge", gib=15.3246).hold("a").collected(tmp_path)
    assert bill().total.cost == D("0.0367094466")


def test_the_boards_of_a_node_cost_the_gpu_part_to_the_last_digit(tmp_path) -> None:
    """8 × 0.95 = 7.6, 96 × 0.031611 = 3.034656, 1152 × 0.004237 = 4.881024, together 15.51568.
    21.957642 × 7.6 ÷ 15.51568 = 10.75544734101…: 10.7554473410 for eight boards, 5 of which are held."""
    instance("21.957642", "p4d.24xlarge")
    Machines().machine(kind="p4d.24xlarge", gpus=8, cpus=96, gib=1152).hold("a", 5).collected(tmp_path)
    total = bill().total
    assert total.cost == D("10.7554473410")
    assert rows("team")["unallocated"].cost + rows("pod")["a"].cost == total.cost
    # 5 ÷ 8 of it are 6.72215458812…
    assert rows("pod")["a"].cost == D("6.7221545881")


@pytest.mark.parametrize(("size", "unknown"), [({"cpus": None}, "cpu"), ({"gib": None}, "memory"), ({"gib": float("nan")}, "memory")])
def test_an_unknown_size_is_unpriced_and_names_the_node(size: dict, unknown: str, tmp_path) -> None:
    instance("3.00")
    Machines().machine("n1").machine("n2", **size).hold("a").hold("b", node="n2").collected(tmp_path)
    assert rows("node")["n2"].cost is None and rows("node")["n1"].cost > 0
    assert (bill().total.sums["unpriced"], kinds()) == (1, ["unpriced"])
    (doubt,) = (each for each in findings(Window(TEN, TEN + HOUR)) if each.finding.kind == "unpriced")
    assert doubt.finding.subject == "n2" and doubt.finding.evidence["node"] == "n2"
    assert doubt.finding.message.startswith("the price of the instance n2 cannot be divided: nothing tells its cpu and memory; ")


def test_what_weighs_nothing_need_not_be_told(tmp_path) -> None:
    instance("3.00", weights={"cpu": "0", "memory": "0"})
    Machines().machine(cpus=None, gib=None, gpus=2).hold("a").collected(tmp_path)
    assert (bill().total.cost, rows("pod")["a"].cost) == (3, D("1.50"))


def test_a_price_per_gpu_hour_in_its_place_is_the_more_specific_one(tmp_path) -> None:
    """The pool comes before the instance type, of whichever kind the prices are."""
    instance("3.00", weights={"cpu": "0", "memory": "0"})
    price("0.70", node_pool="gpu")
    Machines().machine("n1", karpenter_sh_nodepool="gpu").machine("n2").hold("a").hold("b", node="n2").collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n1": D("0.70"), "n2": 3}


def test_spot_and_reserved_instances_have_each_their_own_price(tmp_path) -> None:
    for amount, kind in (("4", "on-demand"), ("1", "spot"), ("2", "reserved")):
        instance(amount, capacity_type=kind, weights={"cpu": "0", "memory": "0"})
    fleet = Machines()
    for node, kind in (("n1", "on-demand"), ("n2", "spot"), ("n3", "reserved")):
        fleet.machine(node, karpenter_sh_capacity_type=kind).hold(f"p-{node}", node=node)
    fleet.collected(tmp_path)
    assert {node: row.cost for node, row in rows("node").items()} == {"n1": 4, "n2": 1, "n3": 2}


def test_another_currency_and_a_change_inside_the_hour(tmp_path) -> None:
    """Weights 2 for the GPU and 0.5 a cpu: half of the price is the GPU's. 10 USD × 0.80 ÷ 2 = 4.00 for a quarter of an hour,
    × 0.90 4.50 for the next half, then 12 USD × 0.90 ÷ 2 = 5.40 for the last quarter: 1.00 + 2.25 + 1.35 = 4.60."""
    halves = {"gpu": "2", "cpu": "0.5", "memory": "0"}
    instance("10", currency="USD", weights=halves, end=TEN + timedelta(minutes=45))
    instance("12", currency="USD", weights=halves, start=TEN + timedelta(minutes=45))
    ExchangeRate.objects.create(currency="USD", rate="0.80", start=TEN - timedelta(days=1))
    ExchangeRate.objects.create(currency="USD", rate="0.90", start=TEN + timedelta(minutes=15))
    Machines().machine().hold("a").collected(tmp_path)
    assert bill().total.cost == D("4.60")


def test_a_node_seen_before_and_after_a_gap_keeps_its_price(tmp_path) -> None:
    """No scrape of the second hour and its margins: the node was there all the same, and its size is that of the hour before."""
    instance("3.00", weights={"gpu": "1", "cpu": "0.125", "memory": "0.03125"})
    times = [*range(-1200, 2400, 60), *range(8400, 12000, 60)]
    fleet = Machines()
    fleet.node(**{GPU: 1}, times=times).node_labels(node_kubernetes_io_instance_type="x.large", times=times)
    for resource, value in (("cpu", 4), ("memory", 16 * GIB)):
        fleet.put("kube_node_status_capacity", {"node": "n1", "resource": resource}, value, times)
    fleet.hold("a", times=times).collected(tmp_path, hours=(0, 2, 1))
    # Weights 1 + 4 × 0.125 + 16 × 0.03125 = 2: half of the price is the GPU's.
    assert [bill(first=hour).total.cost for hour in range(3)] == [D("1.50")] * 3


def test_the_printed_file_holds_instance_prices_and_changes_nothing(tmp_path) -> None:
    text = """currency: CHF
rates:
  - {instance_type: g4dn.xlarge, instance_price: "0.526", weights: {gpu: "0.95", cpu: "1.250", memory: "0.5"}, currency: CHF, from: 2026-01-01}
  - {node_pool: gpu, capacity_type: spot, instance_price: "8.00", currency: CHF}
  - {gpu_model: T4, price: "0.60", currency: CHF}
"""
    (tmp_path / "config.yaml").write_text(text)
    call_command("apply", str(tmp_path / "config.yaml"))
    printed = dump(configuration(now=now()))
    assert "instance_price: '0.526'" in printed and "weights:\n    gpu: '0.95'\n    cpu: '1.25'\n    memory: '0.5'" in printed
    assert parse(printed).rates == parse(text).rates
    (tmp_path / "config.yaml").write_text(printed)
    call_command("apply", str(tmp_path / "config.yaml"))
    assert Rate.objects.count() == 3


def test_other_weights_are_another_rate() -> None:
    """What a month cost, it keeps: the rate with the old weights ends, another follows."""
    text = 'rates:\n  - {node_pool: gpu, instance_price: "8", weights: {gpu: "1"}, currency: CHF}\n'
    for weight in ("1", "1.0", "2"):
        changes = apply(parse(text.replace('gpu: "1"', f'gpu: "{weight}"')), now=TEN)
    assert changes == ["rate gpu 8.00 CHF per instance-hour: added", "rate gpu 8.00 CHF per instance-hour: ended"]
    assert [(row.weights, row.end) for row in Rate.objects.order_by("id")] == [({"gpu": "1"}, TEN), ({"gpu": "2"}, None)]
