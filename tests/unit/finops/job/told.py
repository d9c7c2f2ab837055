"""An explanation made by hand: two GPUs for an hour and a half at 3.80, a part of it starting."""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

from finops.job.explanation import Applied, Charge, Decided, Device, Difference, Doubt, Explanation, Gap, Held, Moment, Pod, Run
from finops.queries import Row
from finops.selection import SUMS

D = Decimal
TEN = datetime(2026, 10, 6, 10, tzinfo=UTC)
AT = int(TEN.timestamp())
RATE = Applied((("gpu_model", "Tesla T4"),), D("3.8"), "GPU", "CHF", None, None, datetime(2026, 1, 1, tzinfo=UTC), None, "", D("3.8"))
RULE = Decided("fraud", 2, "match", ('namespace "fraud-*" holds for fraud-lab',))


def row(**figures: str | None) -> Row:
    """Zero throughout but for `figures`; None is a figure that does not exist."""
    sums: dict[str, Decimal | None] = dict.fromkeys(SUMS, D(0)) | {"energy_kwh": None}
    sums |= {name: None if amount is None else D(amount) for name, amount in figures.items()}
    return Row({}, None, None, sums, "CHF")


SUM = row(
    allocated="3", used="1", idle="1.5", starting="0.5", cost="11.4", used_cost="3.8", idle_cost="5.7", starting_cost="1.9",
    priced_allocated="3", priced_used="2.5",
)  # fmt: skip


def charge(**more) -> Charge:
    about = {"node": "n1", "node_pool": "pool", "instance_type": "", "capacity_type": "spot", "gpu_model": "Tesla T4", "user": "ann", "queue": ""}
    figures = {"price": D("3.8"), "applied": RATE, "decided": RULE, "times": ((Fraction(2), 5400),), "expected": D(3), "missing": D(0)}
    return Charge(**({"start": AT, "end": AT + 5400} | about | figures | {"restated": (), "sums": SUM} | more))


def device(**more) -> Device:
    figures = {"uuid": "GPU-1", "instance": "", "model": "Tesla T4", "share": 1.0, "first": AT, "last": AT + 5400, "held_seconds": 5400.0}
    figures |= {"measured_seconds": 4500.0, "busy_gpu_seconds": 1800.0, "samples": 90, "rejected": 0, "source": "gr_engine"}
    return Device(**(figures | {"frozen": False, "inferred": False, "estimated": False, "beside": 0} | more))


def pod(name: str = "a", **more) -> Pod:
    bound, started, ended = Moment(AT, "bound series"), Moment(AT + 900, "start series"), Moment(AT + 5400, "end series")
    held = Held("nvidia_com_gpu", "n1", 2, Fraction(2), bound, started, ended, AT, AT + 5400)
    parts = {"held": (held,), "devices": (device(),), "charges": (charge(),), "unmeasured": (), "sums": SUM}
    return Pod(**({"name": name, "uid": f"uid-{name}", "run": "job"} | parts | more))


def explanation(**more) -> Explanation:
    end = datetime(2026, 10, 6, 12, tzinfo=UTC)
    whose = {"cluster": "lab", "namespace": "fraud-lab", "kind": "Job", "name": "job", "run": ""}
    when = {"start": TEN, "end": end, "begun": AT, "over": AT + 5400, "whole_life": True, "zone": "Europe/Zurich", "currency": "CHF", "as_of": end}
    parts = {"sums": SUM, "lines": 2, "differences": (), "incomplete": (), "runs": (), "pods": (pod(),), "doubts": (), "more_doubts": False}
    return Explanation(**(whose | when | parts | more))


__all__ = ["AT", "RATE", "RULE", "TEN", "D", "Difference", "Doubt", "Gap", "Run", "charge", "device", "explanation", "pod", "row"]
