"""Figures in words."""

from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from finops.accounting.charge import BUCKETS
from finops.job.explanation import Applied, Charge, Decided
from finops.queries import Row

NONE = "–"
SOURCES = {"gr_engine": "GR_ENGINE_ACTIVE", "gpu_util": "GPU_UTIL", "mixed": "both, GPU_UTIL in gaps", "none": "not measured"}


def rounded(amount: Decimal | None, places: int = 2) -> str:
    """With thousands apart; "–" where there is no figure."""
    return NONE if amount is None else f"{amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):,}"


def price(amount: Decimal) -> str:
    """At least two decimals, and all there are."""
    plain = amount.normalize()
    return f"{plain:f}" if -int(plain.as_tuple().exponent) > 2 else f"{amount:.2f}"


def per_cent(part: float | Decimal | None) -> str:
    return NONE if part is None else f"{float(part) * 100:.1f} %"


def duration(seconds: int) -> str:
    """Hours, minutes and seconds, those that are zero left out."""
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "min"), (seconds % 60, "s")]
    return " ".join(f"{n:,} {unit}" for n, unit in parts if n) or "0 s"


def gpus(count: Fraction) -> str:
    return f"{count} GPUs" if count > 1 else f"{count} GPU"


def clock(at: int | datetime, zone: ZoneInfo) -> str:
    """To the second, in the zone."""
    when = datetime.fromtimestamp(at, zone) if isinstance(at, int) else at.astimezone(zone)
    return f"{when:%Y-%m-%d %H:%M:%S}"


def span(start: int, end: int, zone: ZoneInfo) -> str:
    """Two instants, the day told once where it is the same and the zone's offset too."""
    first, last = (datetime.fromtimestamp(at, zone) for at in (start, end))
    same = first.date() == last.date() and first.utcoffset() == last.utcoffset()
    return f"{first:%Y-%m-%d %H:%M:%S} – {last:%H:%M:%S}" if same else f"{first:%Y-%m-%d %H:%M:%S} – {last:%Y-%m-%d %H:%M:%S}"


def minute(at: int | datetime, zone: ZoneInfo) -> str:
    when = datetime.fromtimestamp(at, zone) if isinstance(at, int) else at.astimezone(zone)
    return f"{when:%Y-%m-%d %H:%M}"


def arithmetic(charge: Charge, currency: str) -> str:
    """`4 GPUs × 3 h 20 min = 13.3333 GPU-hours × 3.80 CHF = 50.67 CHF`, with what the ledger has less where it has."""
    allocated = charge.sums.hours("allocated")
    times = " + ".join(f"{gpus(count)} × {duration(seconds)}" for count, seconds in charge.times)
    less = f" {'−' if charge.missing > 0 else '+'} {rounded(abs(charge.missing), 4)}" if charge.missing else ""
    text = f"{times}{less} = {rounded(allocated, 4)} GPU-hours" if times else f"{rounded(allocated, 4)} GPU-hours"
    if charge.price is None:
        return f"{text}, unpriced"
    return f"{text} × {price(charge.price)} {currency} = {rounded(charge.sums.cost)} {currency}"


def phases(sums: Row, currency: str) -> str:
    """The phases in GPU-hours and money, those that are zero left out."""
    texts = []
    for bucket in BUCKETS:
        if hours := sums.hours(bucket):
            cost = sums.sums[f"{bucket}_cost"]
            texts.append(f"{bucket} {rounded(hours, 4)}" + ("" if cost is None else f" ({rounded(cost, 4)} {currency})"))
    return ", ".join(texts)


def rate(applied: Applied, currency: str, zone: ZoneInfo) -> str:
    """What the rate is for, as it was entered, and how it came into the reporting currency."""
    what = ", ".join(f"{key} {value}" for key, value in applied.selector) or "every GPU"
    since = f"from {minute(applied.start, zone)}" if applied.start else "always"
    valid = f"{since} until {minute(applied.end, zone)}" if applied.end else since if applied.start else "without begin or end"
    text = f"{price(applied.entered)} {applied.entered_currency} per {applied.per}-hour for {what}, {valid}"
    if applied.exchange is not None and applied.exchange_from is not None:
        text += f"; × {price(applied.exchange)} (exchange rate of {applied.exchange_from.astimezone(zone):%Y-%m-%d})"
        text += f" = {price(applied.price)} {currency}" if applied.per == "GPU" else ""
    if applied.per == "instance":
        text += f"; the GPUs' part by the node's GPUs is {price(applied.price)} {currency} per GPU-hour"
    return text + ("; a public list price that stands in" if applied.origin == "list" else "")


def rule(decided: Decided) -> str:
    """Which entry decided, and why."""
    if decided.place is None:
        return (
            f"{decided.team}: no entry of teams holds"
            if decided.team == "unassigned"
            else f"{decided.team}: by rules that are no longer there"
        )
    return f"{decided.team}: entry {decided.place} of teams, {' and '.join(decided.matched)}"


def listed(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
