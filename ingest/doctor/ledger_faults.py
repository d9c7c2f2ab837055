"""What the ledger of the last days shows: faults that are over do not hide behind a source that is sound now."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from finops.accounting.money import display
from finops.quality import Fault, faults
from finops.scope import Window
from ingest.doctor.diagnosis import Past

DAYS = timedelta(days=7)
MOST = 50  # the API lists every one


def ledger_faults(clusters: Sequence[str], *, at: datetime, zone: ZoneInfo, currency: str) -> list[Past]:
    """The faults of the seven days before `at`, those that touch most money first."""
    return [_past(fault, zone, currency) for fault in faults(Window(at - DAYS, at), clusters=clusters)[:MOST]]


def _past(fault: Fault, zone: ZoneInfo, currency: str) -> Past:
    """Only what lasts and makes figures wrong is a fault; the rest of the past is told and no more."""
    since, last = (each.astimezone(zone).isoformat(timespec="minutes") for each in (fault.since, fault.last))
    level = "fault" if fault.lasts and fault.kind.wrong and fault.kind.level == "fault" else "warn"
    touched = f"{_figure(fault.gpu_hours)} GPU-hours, {_figure(fault.cost)} {currency}"
    text = f"{fault.message}; since {since}, last {last}, {fault.hours} hours of the last seven days, {touched}"
    return Past(
        fault.cluster, level, fault.kind.name, text, fault.kind.meaning, fault.cure, since, last, fault.hours,
        display(fault.gpu_hours), display(fault.cost),
    )  # fmt: skip


def _figure(amount) -> str:
    return "unknown" if amount is None else f"{amount:.2f}"
