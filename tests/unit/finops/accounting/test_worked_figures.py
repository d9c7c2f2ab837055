"""The situations everybody asks about, each with its right answer."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from finops.accounting.calendar import hours, midnight
from finops.accounting.charge import BUCKETS, Hold, Line, Pool, charge
from finops.accounting.leases import Sightings, lease
from finops.accounting.rates import Asked, Rate, in_force
from finops.accounting.shares import NodeGpus, unit_share
from finops.queries import SUMS, Row

D, HOUR, DAY, NOON = Decimal, 3600, 86400, 43200
A100, T4 = "NVIDIA A100-SXM4-40GB", "Tesla T4"


def quarters(end: int) -> list[tuple[int, int]]:
    return [(a, a + 900) for a in range(0, end, 900)]


def hold(id_: str, gpus: Fraction | int, start: int, end: int, *, busy: float = 1.0, started: int | None = None, down=()) -> Hold:
    """`busy`: mean busy fraction over all its GPUs; `down`: hours in which nobody measured."""
    gpus, started = Fraction(gpus), start if started is None else started
    spans = {(a, b): float(gpus) * (min(end, b) - max(started, a)) for a, b in quarters(DAY) if a < end and b > started}
    measured = {q: seconds for q, seconds in spans.items() if q[0] // HOUR not in down}
    return Hold(id_, gpus, start, started, end, measured, {q: seconds * busy for q, seconds in measured.items()})


def priced(price: str, end: int) -> list[tuple[int, int, Decimal]]:
    return [(0, end, D(price))]


def bill(boards: int, holds: list[Hold], prices: list) -> dict[str, Line]:
    end = prices[-1][1]
    lines, excess = charge(Pool(boards, 0, end), holds, prices, quarters(end))
    assert excess == 0
    return {line.id: line for line in lines}


def row(line: Line) -> Row:
    """The line as a row of the report, for its ratios."""
    allocated = sum(line.hours[b] for b in BUCKETS)
    sums = dict.fromkeys(SUMS, D(0)) | line.hours | {"allocated": allocated, "priced_allocated": allocated, "priced_used": line.hours["used"]}
    costs = {f"{bucket}_cost": cost for bucket, cost in line.costs.items()} | {"cost": sum(line.costs.values())}
    return Row({}, None, None, sums | costs, "CHF")


def cost(line: Line) -> Decimal:
    return sum(line.costs.values(), D(0))


def test_eight_gpus_in_one_pod_all_busy() -> None:
    (line,) = bill(8, [hold("a", 8, 0, HOUR)], priced("1", HOUR)).values()
    assert line.hours == {"used": 8, "idle": 0, "starting": 0, "unmeasured": 0}
    assert row(line).efficiency == 1.0


def test_two_gpus_in_one_pod_one_busy() -> None:
    (line,) = bill(2, [hold("a", 2, 0, HOUR, busy=0.5)], priced("1", HOUR)).values()
    assert line.hours == {"used": 1, "idle": 1, "starting": 0, "unmeasured": 0}


def test_one_gpu_eleven_per_cent_busy() -> None:
    (line,) = bill(1, [hold("a", 1, 0, HOUR, busy=0.11)], priced("2.50", HOUR)).values()
    assert cost(line) == D("2.50")
    assert line.costs == {"used": D("0.275"), "idle": D("2.225"), "starting": 0, "unmeasured": 0}
    assert row(line).cost_per_used_gpu_hour == D("22.7272727273")


def test_an_a100_in_slices_for_a_day() -> None:
    node = NodeGpus({f"nvidia_com_mig_{n}g_{n * 5}gb": 1 for n in (1, 2, 4)}, 1, 0, A100)
    four, one, two = (unit_share(f"nvidia_com_mig_{n}g_{n * 5}gb", node) for n in (4, 1, 2))
    assert (four, one, two) == (Fraction(4, 7), Fraction(1, 7), Fraction(2, 7))
    lines = bill(1, [hold("A", four, 0, 2 * HOUR), hold("B", one, 0, 6 * HOUR), hold("C", two, 0, 2 * HOUR)], priced("3", DAY))
    right = {"A": D("3.428571"), "B": D("2.571429"), "C": D("1.714286"), "": D("64.285714")}
    assert {id_: round(cost(line), 6) for id_, line in lines.items()} == right
    assert sum(cost(line) for line in lines.values()) == 72


def test_four_pods_on_one_gpu_sliced_four_ways() -> None:
    quarter = unit_share("nvidia_com_gpu", NodeGpus({"nvidia_com_gpu": 4}, 1, 1, A100, count_label=1, replicas_label=4))
    lines = bill(1, [hold(name, quarter, 0, HOUR) for name in "abcd"], priced("1", HOUR))
    assert {id_: sum(line.hours.values()) for id_, line in lines.items()} == dict.fromkeys("abcd", D("0.25"))


def test_bound_with_an_image_that_is_missing() -> None:
    span = lease(Sightings(first_held=30, last_held=HOUR - 30, half_interval=30, scheduled=0, accepted=2))
    (line,) = bill(1, [hold("a", 1, int(span.start), int(span.end), started=int(span.started))], priced("2", HOUR)).values()
    assert line.hours == {"used": 0, "idle": 0, "starting": 1, "unmeasured": 0}


def test_a_price_change_at_noon() -> None:
    begin, noon, end = (datetime.fromtimestamp(t, UTC) for t in (0, NOON, DAY))
    spans = in_force([Rate(D("2.00"), end=noon), Rate(D("3.00"), start=noon)], Asked("c", "", "", "", A100), start=begin, end=end)
    prices = [(int(s.start.timestamp()), int(s.end.timestamp()), s.price) for s in spans]
    lines, _ = charge(Pool(1, 0, DAY), [hold("A", 1, 0, NOON), hold("B", 1, NOON, DAY)], prices, quarters(DAY))
    assert {line.id: cost(line) for line in lines} == {"A": 24, "B": 36}


def test_prometheus_down_for_two_hours() -> None:
    (line,) = bill(1, [hold("a", 1, 0, DAY, down=(2, 3))], priced("1", DAY)).values()
    assert (sum(line.hours.values()), line.hours["unmeasured"]) == (24, 2)
    assert row(line).coverage == pytest.approx(0.917, abs=0.0005)


@pytest.mark.parametrize(
    ("first", "after", "right"),
    [
        (date(2026, 10, 25), date(2026, 10, 26), "25.0"),
        (date(2026, 3, 29), date(2026, 3, 30), "23.0"),
        (date(2026, 3, 1), date(2026, 4, 1), "743.0"),
    ],
)
def test_one_gpu_held_all_of_a_local_day_or_month(first: date, after: date, right: str) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    held = D(0)
    for start, end in hours(midnight(first, zone=berlin), midnight(after, zone=berlin), zone=berlin):
        a, b = int(start.timestamp()), int(end.timestamp())
        lines, _ = charge(Pool(1, a, b), [Hold("a", Fraction(1), a, a, b, {}, {})], [(a, b, D(1))], [(q, q + 900) for q in range(a, b, 900)])
        held += sum((sum(line.hours.values()) for line in lines if line.id), D(0))
    assert held == D(right)


def test_eight_gpus_and_nobody_on_them() -> None:
    (line,) = bill(8, [], priced("3", DAY)).values()
    assert (line.id, line.hours, line.costs) == ("", {"unallocated": D(192)}, {"unallocated": D(576)})


def test_two_models_on_a_node_are_two_pools() -> None:
    pools = [bill(1, [hold("a", 1, 0, DAY)], priced(price, DAY)) for price in ("3.00", "0.50")]
    assert all("" not in lines for lines in pools)
    assert sum(cost(lines["a"]) for lines in pools) == D("84.00")


def test_thirty_per_cent_off_a_list_price_of_two() -> None:
    begin, end = datetime.fromtimestamp(0, UTC), datetime.fromtimestamp(HOUR, UTC)
    rates = [Rate(D("2.00")), Rate(D("2.00") * D("0.70"), node_pool="fraud")]
    (span,) = in_force(rates, Asked("c", "fraud", "", "", T4), start=begin, end=end)
    (line,) = bill(1, [hold("a", 1, 0, HOUR)], [(0, HOUR, span.price)]).values()
    assert cost(line) == D("1.40")
